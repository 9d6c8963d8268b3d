#include "cuda_runtime/pool_table.h"

#include <algorithm>

namespace cuda_runtime {

cudaMemPool_t pool_table::create(std::uint32_t device) {
  return &pools_.emplace_back(
      CUmemPoolHandle_st{memory_pool(static_cast<std::uint32_t>(pools_.size() + 1), device)});
}

memory_pool* pool_table::find(cudaMemPool_t handle) {
  const auto found = std::find_if(pools_.begin(), pools_.end(),
                                  [handle](const CUmemPoolHandle_st& pool) { return &pool == handle; });
  return found == pools_.end() || found->books.destroyed_by != 0 ? nullptr : &found->books;
}

trace::call_id pool_table::destroyed_by(cudaMemPool_t handle) const {
  const auto found = std::find_if(pools_.begin(), pools_.end(),
                                  [handle](const CUmemPoolHandle_st& pool) { return &pool == handle; });
  return found == pools_.end() ? 0 : found->books.destroyed_by;
}

cudaMemPool_t pool_table::current_of(std::uint32_t device) {
  const auto found = current_.find(device);
  return found == current_.end() || found->second->books.destroyed_by != 0 ? default_of(device)
                                                                           : found->second;
}

std::size_t pool_table::reserved_on(std::uint32_t device) const {
  std::size_t sum = 0;
  for (const CUmemPoolHandle_st& pool : pools_) {
    if (pool.books.device() == device) sum += pool.books.reserved();
  }
  return sum;
}

}  // namespace cuda_runtime
