// interposed.cpp: functions of the C library that exercise programs reach us for, by the linker's --wrap.
//
// | function                            | why                                                          |
// |-------------------------------------|--------------------------------------------------------------|
// | memcpy, memmove, memset             | their accesses are not instrumented                          |
// | math functions (list below)         | charged to the kernel by name, from the profile              |
// | clock                               | cycles in a kernel, virtual time in host code                |
// | clock_gettime, gettimeofday, time   | virtual time in host code (std::chrono's clocks end up here) |
// | nanosleep, usleep, sleep            | let virtual time pass                                        |
//
// Not taken: stdio and the rest of string.h (accesses inside them are not seen).
#include <sys/time.h>
#include <unistd.h>

#include <math.h>
#include <cstring>
#include <ctime>
#include <map>
#include <string_view>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"
#include "virtual_gpu/instrumentation.h"
#include "virtual_gpu/kernel_run.h"
#include "virtual_gpu/runtime.h"

using trace::access_mode;
using virtual_gpu::address;
using virtual_gpu::kernel_run;
using virtual_gpu::runtime;

namespace {

address code_of(const void* return_address) { return reinterpret_cast<address>(return_address); }

/// The cost of one call of a math function, looked up once.
const device::math_cost& cost_of(std::string_view name) {
  const auto& costs = runtime::get().gpu().math;
  const auto found = costs.find(name);
  return found != costs.end() ? found->second : costs.find("default")->second;
}

void charge(const device::math_cost& cost) {
  virtual_gpu::counters.math_throughput += cost.throughput;
  virtual_gpu::counters.math_latency += cost.latency;
}

/// sinf and cosf take a slow path beyond this argument. @see CUDA C++ Programming Guide, "Standard Functions"
constexpr float large_argument = 105615.0f;

}  // namespace

#define CHARGED_1(type, name)                                      \
  EXPORTED type __wrap_##name(type x) {                            \
    if (kernel_run::current() != nullptr) {                        \
      static const device::math_cost& cost = cost_of(#name);       \
      charge(cost);                                                \
    }                                                              \
    return ::name(x);                                           \
  }
#define CHARGED_1_LARGE(type, name)                                        \
  EXPORTED type __wrap_##name(type x) {                                    \
    if (kernel_run::current() != nullptr) {                                \
      static const device::math_cost& small = cost_of(#name);              \
      static const device::math_cost& large = cost_of(#name "_large");     \
      charge(x > large_argument || x < -large_argument ? large : small);   \
    }                                                                      \
    return ::name(x);                                                   \
  }
#define CHARGED_2(type, name)                                      \
  EXPORTED type __wrap_##name(type x, type y) {                    \
    if (kernel_run::current() != nullptr) {                        \
      static const device::math_cost& cost = cost_of(#name);       \
      charge(cost);                                                \
    }                                                              \
    return ::name(x, y);                                        \
  }

extern "C" {

CHARGED_1_LARGE(float, sinf)
CHARGED_1_LARGE(float, cosf)
CHARGED_1(float, tanf)
CHARGED_1(float, sqrtf)
CHARGED_1(float, expf)
CHARGED_1(float, exp2f)
CHARGED_1(float, logf)
CHARGED_1(float, log2f)
CHARGED_1(float, tanhf)
CHARGED_1(float, erff)
CHARGED_2(float, powf)
CHARGED_2(float, fmodf)
CHARGED_1(double, sin)
CHARGED_1(double, cos)
CHARGED_1(double, tan)
CHARGED_1(double, exp)
CHARGED_1(double, log)
CHARGED_1(double, sqrt)
CHARGED_2(double, pow)

EXPORTED void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  const address code = code_of(__builtin_return_address(0));
  if (bytes > 0) {
    virtual_gpu::note_access(code, reinterpret_cast<address>(from), bytes, access_mode::read);
    virtual_gpu::note_access(code, reinterpret_cast<address>(to), bytes, access_mode::write);
  }
  return std::memcpy(to, from, bytes);
}

EXPORTED void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  const address code = code_of(__builtin_return_address(0));
  if (bytes > 0) {
    virtual_gpu::note_access(code, reinterpret_cast<address>(from), bytes, access_mode::read);
    virtual_gpu::note_access(code, reinterpret_cast<address>(to), bytes, access_mode::write);
  }
  return std::memmove(to, from, bytes);
}

EXPORTED void* __wrap_memset(void* to, int value, std::size_t bytes) {
  if (bytes > 0) {
    virtual_gpu::note_access(code_of(__builtin_return_address(0)), reinterpret_cast<address>(to), bytes, access_mode::write);
  }
  return std::memset(to, value, bytes);
}

EXPORTED std::clock_t __wrap_clock() {
  if (kernel_run* const kernel = kernel_run::current()) return static_cast<std::clock_t>(kernel->clock());
  return runtime::get().now().count() / (1'000'000'000 / CLOCKS_PER_SEC);
}

}  // extern "C"
