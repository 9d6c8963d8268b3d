// interposed_functions.h: the names of the functions that interposed.cpp takes over, for the compiler driver.
#pragma once

namespace virtual_gpu {

/// Memory functions: their accesses are noted.
inline constexpr const char* interposed_memory_functions[] = {"memcpy", "memmove", "memset"};

/// Math functions: charged to kernels by name.
inline constexpr const char* interposed_math_functions[] = {
    "sinf", "cosf", "tanf", "sqrtf", "expf", "exp2f", "logf", "log2f", "tanhf", "erff",
    "powf", "fmodf", "sin", "cos", "tan", "exp", "log", "sqrt", "pow",
};

/// Time: cycles in kernels, virtual time in host code.
inline constexpr const char* interposed_time_functions[] = {"clock"};

}  // namespace virtual_gpu
