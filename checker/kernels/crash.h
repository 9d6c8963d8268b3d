// crash.h: what a kernel does to its own stack: accesses that no hook of the instrumentation sees.
//
// The compiler leaves out the hooks for local variables that no pointer leads to. An index beyond such an array is found
// when the function returns and its stack guard has changed (__stack_chk_fail), or when the address is no memory (SIGSEGV).
#pragma once

#include <signal.h>

namespace kernels {

/// From now on a crash of a kernel on the calling thread ends that kernel with a fault. A crash of host code ends the
/// program as before, and a handler of the program stays.
void catch_crashes();

/// A handler of crashes of host code, which is installed already: it stays in charge of them beside catch_crashes().
void keep_for_host_code(void (*handler)(int, siginfo_t*, void*));

}  // namespace kernels
