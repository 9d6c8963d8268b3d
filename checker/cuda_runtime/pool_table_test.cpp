#include "cuda_runtime/pool_table.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

TEST(PoolTable, TheFirstMemoryIsThatOfAllPoolsOfADevice) {
  pool_table pools;
  EXPECT_TRUE(pools.takes_first_memory_on(0));
  EXPECT_FALSE(pools.takes_first_memory_on(0));
  EXPECT_TRUE(pools.takes_first_memory_on(1));
}

}  // namespace
}  // namespace cuda_runtime
