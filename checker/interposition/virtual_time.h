// virtual_time.h: for the functions that take the place of the C library's: is the caller's time virtual,
// what do its clocks say, and how is the C library's own function reached.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <ctime>

#include "cuda_runtime/runtime.h"
#include "kernels/call_paths.h"
#include "kernels/kernel_run.h"

namespace interposition {

using cuda_runtime::host_threads;
using cuda_runtime::runtime;
using kernels::address;
using kernels::kernel_run;
using trace::nanoseconds;

/// The C library's own function of that name and version.
template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
/// next_function() for a function that a header declares.
#define NEXT(name) interposition::next_function<decltype(&name)>(#name)

/// The runtime, when the calling thread is one whose time is virtual; else nullptr.
inline runtime* virtual_time() {
  if (kernels::is_unwinding) return nullptr;
  runtime* const run = runtime::if_begun();
  return run != nullptr && host_threads::self() != nullptr && kernel_run::current() == nullptr ? run
                                                                                               : nullptr;
}

/// Where virtual time begins on each clock: a fixed date for the clocks that tell the date.
inline nanoseconds begin_of(clockid_t clock) {
  const bool tells_the_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return std::chrono::seconds(tells_the_date ? 1'700'000'000 : 1'000);
}

/// Whole seconds and the nanoseconds of a time that is not negative.
inline timespec to_timespec(nanoseconds time) {
  return {static_cast<time_t>(time.count() / 1'000'000'000), static_cast<long>(time.count() % 1'000'000'000)};
}

/// The reverse of to_timespec().
inline nanoseconds from_timespec(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace interposition
