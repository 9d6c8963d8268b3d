// kernel_access.h: checks one access of a running kernel.
//
// Not here: the hooks (interposition/instrumentation.cpp), the record of accesses (access_log.h).
#pragma once

#include <cstddef>

#include "kernels/kernel_run.h"

namespace kernels {

/// Records an access of the running kernel to `bytes` bytes from `where`. Stops the kernel when the access is not
/// allowed or not a multiple of `alignment`, a power of two. `code` is the return address of the access.
void note_access(kernel_run& kernel, address code, address where, std::size_t bytes, trace::access_mode mode,
                 std::size_t alignment = 1);

}  // namespace kernels
