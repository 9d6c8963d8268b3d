// pinning.h: matchers of memory that the function allocates, above all of pinned memory: allocated pinned, or registered.
//
//     EXPECT_THAT(run(), PinsAtMost(budget));
#pragma once

#include <cstddef>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// There are copies between host and device, in both directions, none of which has pageable memory on the host side. Fails with
/// requirement_missed, naming the first that has.
matcher CopiesUsePinnedMemory();

/// What is pinned inside the part never comes to more than `bytes` at a time. Fails with requirement_missed,
/// naming the call that went beyond.
matcher PinsAtMost(std::size_t bytes);

/// The same for device memory, from whichever call; memory of a pool counts from the call that allocates to the call that
/// frees, as the pool itself counts (cudaMemPoolAttrUsedMemHigh).
matcher HoldsDeviceMemoryAtMost(std::size_t bytes);

/// The device memory that is made in the part is freed in it. Fails with requirement_missed, naming the call that made the first
/// that is left.
matcher FreesDeviceMemory();

/// The answer of that name, the release threshold of the pool at the end of the part, is at least `bytes`. Fails with
/// requirement_missed, naming the last call of the part, or, where it made none, the first call that takes memory from a pool.
matcher KeepsInThePool(std::string threshold, std::size_t bytes);

/// What is pinned inside the part comes to no more than `bytes` when all of it is added up, also what has been released
/// before: nothing is pinned again and again. Fails with requirement_missed, naming the call that went beyond.
matcher PinsOnce(std::size_t bytes);

/// Memory is pinned, and all of it released (cudaFreeHost or cudaHostUnregister, whichever belongs to it), each
/// time after a wait for the operations that use it: that the release itself happens to wait is not documented.
/// Fails with requirement_missed, or with race_detected when such a wait is missing.
matcher ReleasesPinnedMemory();

/// The part allocates and registers no memory of any kind with CUDA. Fails with requirement_missed, naming the first call that
/// does.
matcher AllocatesNoMemory();

/// No kernel of the set reads or writes memory of the host, pinned or not: what it works with has been copied. Fails with
/// requirement_missed, naming the first that does. Passes where accesses are not known.
matcher WorkInDeviceMemory(operation_set operations);

/// All that the kernels of the set write is stream-ordered memory (cudaMallocAsync). Fails with requirement_missed, naming the first
/// that writes into other memory. Passes where accesses are not known.
matcher WriteIntoStreamOrderedMemory(operation_set operations);

}  // namespace matchers
