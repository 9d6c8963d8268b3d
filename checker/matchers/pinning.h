// pinning.h: matchers of pinned memory: allocated pinned, or registered.
//
//     EXPECT_THAT(run(), ReleasesPinnedMemory());
#pragma once

#include <cstddef>

#include "matchers/matcher.h"

namespace matchers {

/// There are copies between host and device, in both directions, none of which has pageable memory on the host side. Fails with
/// requirement_missed, naming the first that has.
matcher CopiesUsePinnedMemory();

/// Memory is pinned, and all of it released (cudaFreeHost or cudaHostUnregister, whichever belongs to it), each
/// time after a wait for the operations that use it: that the release itself happens to wait is not documented.
/// Fails with requirement_missed, or with race_detected when such a wait is missing.
matcher ReleasesPinnedMemory();

}  // namespace matchers
