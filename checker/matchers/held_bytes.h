// held_bytes.h: matchers of how much memory a function has at a time.
//
//     EXPECT_THAT(run(), PinsAtMost(budget));
#pragma once

#include <cstddef>

#include "matchers/matcher.h"

namespace matchers {

/// What is pinned inside the part never comes to more than `bytes` at a time. Fails with requirement_missed,
/// naming the call that went beyond.
matcher PinsAtMost(std::size_t bytes);

/// No more device memory than `bytes` is held at a time, from whichever call; memory of a pool counts from the call that allocates to the call that
/// frees, as the pool itself counts (cudaMemPoolAttrUsedMemHigh).
matcher HoldsDeviceMemoryAtMost(std::size_t bytes);

/// What is pinned inside the part comes to no more than `bytes` when all of it is added up, also what has been released
/// before: nothing is pinned again and again. Fails with requirement_missed, naming the call that went beyond.
matcher PinsOnce(std::size_t bytes);

}  // namespace matchers
