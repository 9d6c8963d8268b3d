// device_memory.h: matchers of the memory that a function makes and that its kernels use.
//
//     EXPECT_THAT(run(), FreesDeviceMemory());
#pragma once

#include <cstddef>
#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// The device memory that is made in the part is freed in it. Fails with requirement_missed, naming the call that made the first
/// that is left.
matcher FreesDeviceMemory();

/// The answer of that name, the release threshold of the pool at the end of the part, is at least `bytes`. Fails with
/// requirement_missed, naming the last call of the part, or, where it made none, the first call that takes memory from a pool.
matcher KeepsInThePool(std::string threshold, std::size_t bytes);

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
