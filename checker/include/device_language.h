// device_language.h: what kernels see beside C++, and the two functions that translated launches call.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_atomic_functions.h"
#include "math_functions.h"
#include "warp_functions.h"

// Without a constructor, also the last two, which CUDA gives as dim3: so g++ knows that they are constants, and reading them calls
// nothing (tests/builtin_variables_test.sh).
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const uint3 blockDim;
extern const uint3 gridDim;
extern const int warpSize;

extern "C" {

/// Waits until all threads of the block that have not ended have come here. Threads that wait for each other at
/// different things end the kernel with cudaErrorLaunchFailure; the recording names the line. `line` is that of the call, in
/// however many copies the compiler makes of it.
void __syncthreads(int line = __builtin_LINE());
/// The same; gives each thread how many of them gave a predicate that is not zero.
int __syncthreads_count(int predicate);
/// The same; whether all of them did.
int __syncthreads_and(int predicate);
/// The same; whether any of them did.
int __syncthreads_or(int predicate);
/// Orders memory accesses. On the virtual GPU they are always in program order; what a kernel with a fence for the
/// device or the system writes is seen by others at once, not at its end.
void __threadfence(void);
void __threadfence_block(void);
void __threadfence_system(void);
/// Cycles of the multiprocessor's clock since the kernel began.
long long clock64(void);
/// Lets the thread sleep for about that many nanoseconds (at most about 1 ms, as the hardware does).
void __nanosleep(unsigned int nanoseconds);
/// Ends the kernel with cudaErrorLaunchFailure.
void __trap(void);
/// In a kernel: puts a line into the device's buffer, which the host prints when it synchronizes or launches, and gives
/// the number of arguments printed (-1 without a format). A full buffer (cudaLimitPrintfFifoSize) keeps the latest.
/// @see CUDA C++ Programming Guide, "Formatted Output"
int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // extern "C"

// Loads and stores with a cache hint: on the virtual GPU plain ones.
#define VIRTUAL_GPU_LOAD(name)  \
  template <typename Value>     \
  __attribute__((always_inline)) inline Value name(const Value* where) { return *where; }
VIRTUAL_GPU_LOAD(__ldg)
VIRTUAL_GPU_LOAD(__ldca)
VIRTUAL_GPU_LOAD(__ldcg)
VIRTUAL_GPU_LOAD(__ldcs)
VIRTUAL_GPU_LOAD(__ldcv)
VIRTUAL_GPU_LOAD(__ldlu)
#undef VIRTUAL_GPU_LOAD
#define VIRTUAL_GPU_STORE(name) \
  template <typename Value>     \
  __attribute__((always_inline)) inline void name(Value* where, Value value) { *where = value; }
VIRTUAL_GPU_STORE(__stwb)
VIRTUAL_GPU_STORE(__stcg)
VIRTUAL_GPU_STORE(__stcs)
VIRTUAL_GPU_STORE(__stwt)
#undef VIRTUAL_GPU_STORE

namespace virtual_gpu {

/// A kernel with its arguments, ready to be launched.
struct kernel_image {
  const char* name;
  void* closure;                       ///< arguments, as they were at the call
  std::size_t closure_bytes;
  std::size_t closure_alignment;
  void (*run_thread)(void* closure);   ///< runs one thread of it
  void (*destroy)(void* closure);      ///< ends the host's arguments, not what a thread has of them
  // Of a kernel whose name alone says which it is, and whose arguments are plain values behind the closure; else none.
  const void* function;        ///< nullptr: not known
  std::size_t argument_count;
  void (*point_to_arguments)(void* closure, void** arguments);  ///< sets a pointer to each
  /// Those of integer types, and which of all arguments each is; gives back how many they are.
  std::size_t (*copy_integers)(void* closure, long long* values, std::size_t* places);
  const char* parameters;  ///< the name of each, with ',' between
};

/// Takes over the kernel that the next launch() is for.
void hand_over(const kernel_image& image);

// Code that is no part of the program: its accesses and its basic blocks are not those of the kernel.
#if defined(__clang__)
#define VIRTUAL_GPU_UNSEEN __attribute__((no_sanitize("thread", "coverage")))
#else
#define VIRTUAL_GPU_UNSEEN __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#endif

/// The arguments of one thread: their bytes, which nobody constructs or destroys.
template <typename Closure>
struct own_arguments {
  alignas(Closure) unsigned char bytes[sizeof(Closure)];
};

/// The body of the kernel becomes part of this function, and its parameters are as those of any function: the compiler sees that
/// nobody else has them, so that reading one is no access.
template <typename Closure>
__attribute__((noinline)) void run_body(own_arguments<Closure> own) {
  (*reinterpret_cast<Closure*>(own.bytes))();
}

/// Runs one thread with arguments of its own.
template <typename Closure>
VIRTUAL_GPU_UNSEEN void run_thread(void* arguments) {
  run_body<Closure>(*static_cast<const own_arguments<Closure>*>(arguments));
}
#undef VIRTUAL_GPU_UNSEEN

/// Ends the copies of a kernel's arguments. What is copied bit by bit is no object of its own.
template <typename Closure>
void end_arguments(void* arguments) {
  struct bits {
    alignas(Closure) unsigned char bytes[sizeof(Closure)];
  };
  if (__has_trivial_copy(Closure)) return delete static_cast<bits*>(arguments);
  delete static_cast<Closure*>(arguments);
}

/// Which body a `__host__ __device__` function runs that has two.
bool is_in_kernel();

/// What the body of a translated __global__ function does.
template <typename Closure>
void kernel(const char* name, Closure* arguments) {
  hand_over({name, arguments, sizeof(Closure), alignof(Closure), &run_thread<Closure>,
             &end_arguments<Closure>, nullptr, 0, nullptr, nullptr, nullptr});
}

template <typename Value>
std::size_t append_integer(std::true_type, Value value, long long* values, std::size_t* places, std::size_t place,
                           std::size_t count) {
  places[count] = place;
  values[count] = static_cast<long long>(value);
  return count + 1;
}
template <typename Value>
std::size_t append_integer(std::false_type, const Value&, long long*, std::size_t*, std::size_t, std::size_t count) {
  return count;
}

/// Values one behind the other. A std::tuple does the same, and takes the compiler longer.
template <typename... Values>
struct plain_values {
  void point_to(void**) {}
  std::size_t copy_integers(long long*, std::size_t*, std::size_t, std::size_t count) const { return count; }
};
template <typename First, typename... Rest>
struct plain_values<First, Rest...> {
  First first;
  plain_values<Rest...> rest;

  /// Sets a pointer to each.
  void point_to(void** arguments) {
    *arguments = const_cast<void*>(static_cast<const volatile void*>(&first));
    rest.point_to(arguments + 1);
  }
  /// Appends those of integer types to `count` others, and which of all they are; gives back how many there are then.
  std::size_t copy_integers(long long* values, std::size_t* places, std::size_t place, std::size_t count) const {
    return rest.copy_integers(values, places, place + 1,
                              append_integer(std::is_integral<First>(), first, values, places, place, count));
  }
};
/// A closure, and the values of all parameters: a node of a graph tells them, whether or not the kernel uses them.
template <typename Closure, typename... Parameters>
struct closure_and_values {
  Closure closure;
  plain_values<Parameters...> values;

  static void point_to(void* whole, void** arguments) {
    static_cast<closure_and_values*>(whole)->values.point_to(arguments);
  }
  static std::size_t copy_integers(void* whole, long long* values, std::size_t* places) {
    return static_cast<closure_and_values*>(whole)->values.copy_integers(values, places, 0, 0);
  }
};

template <typename...>
struct are_plain : std::true_type {};
template <typename First, typename... Others>
struct are_plain<First, Others...>
    : std::integral_constant<bool, std::is_trivially_copyable<First>::value && are_plain<Others...>::value> {};

template <typename Closure, typename... Parameters>
void kernel_with_values(std::true_type, const char* name, Closure* closure, const void* function,
                        const char* parameters, const Parameters&... values) {
  typedef closure_and_values<Closure, Parameters...> whole;
  whole* const arguments = new whole{*closure, {values...}};
  delete closure;
  hand_over({name, arguments, sizeof(whole), alignof(whole), &run_thread<Closure>, &end_arguments<whole>,
             function, sizeof...(Parameters), &whole::point_to, &whole::copy_integers, parameters});
}
template <typename Closure, typename... Parameters>
void kernel_with_values(std::false_type, const char* name, Closure* closure, const void*, const char*,
                        const Parameters&...) {
  kernel(name, closure);
}
/// The same of a kernel whose name alone says which it is, with all its parameters: their names, with ',' between, and values.
template <typename Closure, typename... Types, typename... Parameters>
void kernel(const char* name, Closure* closure, void (*function)(Types...), const char* parameters,
            const Parameters&... values) {
  kernel_with_values(are_plain<Closure, Parameters...>(), name, closure,
                     reinterpret_cast<const void*>(function), parameters, values...);
}

/// Calls a kernel's function with arguments that are pointed at, as cudaLaunchKernel takes them.
typedef void (*kernel_caller)(const void* function, void** arguments);
/// Makes a kernel known by the address of its function, unless it is; `name` may be nullptr.
void know_kernel(const char* name, const void* function, kernel_caller caller);

template <typename... Parameters, std::size_t... Places>
void call_kernel(void (*function)(Parameters...), [[maybe_unused]] void** arguments, std::index_sequence<Places...>) {
  function(*static_cast<typename std::remove_reference<Parameters>::type*>(arguments[Places])...);
}
template <typename... Parameters>
void call_kernel(void (*function)(Parameters...), void** arguments) {
  call_kernel(function, arguments, std::index_sequence_for<Parameters...>());
}
/// What follows the body of a translated kernel whose name alone says which it is.
template <typename... Parameters>
bool know(const char* name, void (*function)(Parameters...)) {
  know_kernel(name, reinterpret_cast<const void*>(function), [](const void* known, void** arguments) {
    call_kernel(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(known)), arguments);
  });
  return true;
}

/// What an instance of a kernel's template becomes that is used as a value.
template <typename... Parameters>
auto known(const char* name, void (*function)(Parameters...)) -> void (*)(Parameters...) {
  know(name, function);
  return function;
}

/// What <<<...>>> becomes: launches the kernel that was handed over.
void launch(dim3 grid, dim3 block, std::size_t shared_memory_bytes = 0,
            cudaStream_t stream = nullptr) VIRTUAL_GPU_SYMBOL(virtual_gpu_launch);

/// Shared memory of the running block: the same object for every thread that asks with the same key.
void* shared_object(const void* key, std::size_t bytes, std::size_t alignment);
void* dynamic_shared();

/// Waits until all threads of all blocks have come here. @see cooperative_groups.h
void wait_for_grid();
bool is_cooperative();
/// Makes the device memory of a variable, with the content of `initial`; gives back its address.
void* device_variable(const char* name, const void* initial, std::size_t bytes);
void* constant_variable(const char* name, const void* initial, std::size_t bytes);
void* managed_variable(const char* name, const void* initial, std::size_t bytes);

/// What the definition of a __device__ variable becomes, that of a __constant__ and that of a __managed__ one.
template <typename Value>
__attribute__((always_inline)) inline Value& on_device(const char* name, Value& initial) {
  static_assert(std::is_trivially_copyable<Value>::value, "a variable of the device cannot have constructors");
  return *static_cast<Value*>(device_variable(name, const_cast<const void*>(static_cast<const volatile void*>(&initial)), sizeof(Value)));
}
/// Not const, as for nvcc: pointers to it and its methods need not be. A kernel that writes to it is stopped.
template <typename Value>
__attribute__((always_inline)) inline Value& constant(const char* name, Value& initial) {
  static_assert(std::is_trivially_copyable<Value>::value, "a variable of the device cannot have constructors");
  return *static_cast<Value*>(constant_variable(name, const_cast<const void*>(static_cast<const volatile void*>(&initial)), sizeof(Value)));
}
template <typename Value>
__attribute__((always_inline)) inline Value& managed(const char* name, Value& initial) {
  static_assert(std::is_trivially_copyable<Value>::value, "a managed variable cannot have constructors");
  return *static_cast<Value*>(managed_variable(name, const_cast<const void*>(static_cast<const volatile void*>(&initial)), sizeof(Value)));
}

/// Begins the tries of a loop that only waits for the clock; clock() then leaves out rounds. That many basic blocks are
/// no work of the program.
void begin_clock_wait(unsigned other_blocks);
/// A try of the loop has ended. `has_same_result`: its variables are as after the try before. Whether to try again.
bool end_clock_wait(bool has_same_result, unsigned other_blocks);

/// Copies of variables; possible for numbers only.
template <typename... Values>
struct kept_values {
  static constexpr bool is_possible = true;
  void keep() {}
  void restore() {}
  bool are_same() const { return true; }
};
template <typename First, typename... Rest>
struct kept_values<First, Rest...> {
  static constexpr bool is_possible = std::is_arithmetic<First>::value && kept_values<Rest...>::is_possible;
  First first;
  kept_values<Rest...> rest;

  __attribute__((always_inline)) void keep(const First& value, const Rest&... values) {
    first = value;
    rest.keep(values...);
  }
  __attribute__((always_inline)) void restore(First& value, Rest&... values) {
    value = first;
    rest.restore(values...);
  }
  __attribute__((always_inline)) bool are_same(const First& value, const Rest&... values) const {
    return (first == value) & rest.are_same(values...);  // no branch, which would be a basic block
  }
};

/// The tries of a loop that only waits for the clock, with the local variables that it assigns to.
template <bool is_possible, typename... Values>
class clock_wait {
 public:
  __attribute__((always_inline)) explicit clock_wait(Values&... values) {
    before_.keep(values...);
    result_.keep(values...);
    begin_clock_wait(blocks_in_front);
  }
  __attribute__((always_inline)) bool is_tried() const { return is_tried_; }
  __attribute__((always_inline)) void end_try(Values&... values) {
    is_tried_ = end_clock_wait(result_.are_same(values...), blocks_behind);
    if (!is_tried_) return;
    result_.keep(values...);
    before_.restore(values...);
  }

 private:
  // What the tries add to the program's basic blocks when there is one.
#if defined(__clang__)
  static constexpr unsigned blocks_in_front = 0;
  static constexpr unsigned blocks_behind = 0;
#else
  static constexpr unsigned blocks_in_front = 1;
  static constexpr unsigned blocks_behind = 2;
#endif
  kept_values<Values...> before_;
  kept_values<Values...> result_;
  bool is_tried_ = true;
};
template <typename... Values>
class clock_wait<false, Values...> {
 public:
  explicit clock_wait(Values&...) {}
  bool is_tried() const { return is_tried_; }
  void end_try(Values&...) { is_tried_ = false; }

 private:
  bool is_tried_ = true;
};
/// What the translator writes in front of such a loop: `for (auto wait = wait_for_clock(waited); wait.is_tried();
/// wait.end_try(waited)) while (waited < cycles) waited = clock64() - begin;`
template <typename... Values>
__attribute__((always_inline)) inline clock_wait<kept_values<Values...>::is_possible, Values...> wait_for_clock(Values&... values) {
  return clock_wait<kept_values<Values...>::is_possible, Values...>(values...);
}

template <typename Object>
Object& shared() {
  static const char key = 0;
  return *static_cast<Object*>(shared_object(&key, sizeof(Object), alignof(Object)));
}

}  // namespace virtual_gpu
