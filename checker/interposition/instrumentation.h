// instrumentation.h: what hooks and interposed functions share.
#pragma once

#include <cstddef>

#include "kernels/memory.h"
#include "trace/recording.h"

namespace interposition {

using kernels::address;

/// Notes that the running kernel, or host code, reads or writes `bytes` bytes from `where`; `code` is the
/// return address of the access. Stops the kernel, or the program, when it may not. A kernel's access must
/// lie at a multiple of `alignment`, a power of two.
void note_access(address code, address where, std::size_t bytes, trace::access_mode mode,
                 std::size_t alignment = 1);

}  // namespace interposition
