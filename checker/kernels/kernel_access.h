// kernel_access.h: one access of a running kernel: allowed, or the end of the kernel with the reason.
//
// Not here: which accesses there are (interposition/instrumentation.cpp), what is kept of them (access_log.h).
#pragma once

#include <cstddef>

#include "kernels/kernel_run.h"

namespace kernels {

/// Notes that the running kernel touches `bytes` bytes from `where`, or stops it: when it may not, or when the address
/// is no multiple of `alignment`, a power of two. `code` is the return address of the access.
void note_access(kernel_run& kernel, address code, address where, std::size_t bytes, trace::access_mode mode,
                 std::size_t alignment = 1);

}  // namespace kernels
