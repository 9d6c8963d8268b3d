// interposed_functions.h: the names of the functions that libvirtual_gpu takes over from the C library: the compiler driver
// wraps them at link time, interposition/ defines them.
#pragma once

namespace virtual_gpu {

/// Memory functions: their accesses are noted.
inline constexpr const char* interposed_memory_functions[] = {"memcpy", "memmove", "memset", "memcmp",
                                                              "bcmp",   "strlen",  "strnlen"};

/// Functions of files: the memory that they read and write is noted.
inline constexpr const char* interposed_file_functions[] = {"fread", "fwrite", "read",  "write",
                                                            "pread", "pwrite", "readv", "writev"};

/// The heap: kernels have that of their device. new and delete by their names in the object file.
inline constexpr const char* interposed_heap_functions[] = {
    "malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};

// clang-format off
// Math functions: charged to kernels by name. Each list holds the name for double; the one for float is the same with an
// f.
/// Applies a macro to the names of math functions of one argument.
#define VIRTUAL_GPU_MATH_OF_ONE(apply)                                                                              \
  apply(acos) apply(acosh) apply(asin) apply(asinh) apply(atan) apply(atanh) apply(cbrt) apply(cos) apply(cosh)     \
  apply(erf) apply(erfc) apply(exp) apply(exp10) apply(exp2) apply(expm1) apply(j0) apply(j1) apply(lgamma)         \
  apply(log) apply(log10) apply(log1p) apply(log2) apply(sin) apply(sinh) apply(sqrt) apply(tan) apply(tanh)        \
  apply(tgamma) apply(y0) apply(y1)
/// Applies a macro to the names of math functions of two arguments.
#define VIRTUAL_GPU_MATH_OF_TWO(apply) apply(atan2) apply(fmod) apply(hypot) apply(pow) apply(remainder)
/// Applies a macro to the names of Bessel functions: an integer order and an argument.
#define VIRTUAL_GPU_MATH_OF_ORDER(apply) apply(jn) apply(yn)

/// Both names as strings, for double and for float.
#define VIRTUAL_GPU_BOTH_NAMES(name) #name, #name "f",
/// Math functions: charged to kernels by name, for double and float.
inline constexpr const char* interposed_math_functions[] = {
    VIRTUAL_GPU_MATH_OF_ONE(VIRTUAL_GPU_BOTH_NAMES) VIRTUAL_GPU_MATH_OF_TWO(VIRTUAL_GPU_BOTH_NAMES)
    VIRTUAL_GPU_MATH_OF_ORDER(VIRTUAL_GPU_BOTH_NAMES) "sincos", "sincosf",
};
#undef VIRTUAL_GPU_BOTH_NAMES
// clang-format on

/// Time: cycles in kernels, virtual time in host code.
inline constexpr const char* interposed_time_functions[] = {"clock"};

/// Output, and the failure of an assertion: in kernels they go to the device's buffer, and end the kernel.
inline constexpr const char* interposed_output_functions[] = {"printf", "vprintf", "puts", "putchar",
                                                              "__assert_fail"};

}  // namespace virtual_gpu
