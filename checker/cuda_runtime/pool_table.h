// pool_table.h: the pools of stream-ordered memory, behind the handles of the API.
//
//     cudaMemPool_t handle = pools.create(device);
//     if (memory_pool* pool = pools.find(handle)) pool->trim(0);
#pragma once

#include <deque>
#include <map>
#include <set>

#include "cuda_runtime/memory_pool.h"
#include "include/cuda_runtime_api.h"
#include "kernels/memory.h"

/// What a cudaMemPool_t points to.
struct CUmemPoolHandle_st {
  cuda_runtime::memory_pool books;  ///< how much it holds and keeps
};

namespace cuda_runtime {

using kernels::memory_block;

/// Pools by handle and by number. The first ones, one a device, are the default pools.
class pool_table {
 public:
  /// A new, empty pool on that device.
  cudaMemPool_t create(std::uint32_t device);
  /// The pool of a live handle, else nullptr.
  memory_pool* find(cudaMemPool_t handle);
  /// The pool that a block came from; it came from one.
  memory_pool& of(const memory_block& block) { return pools_.at(block.pool - 1).books; }
  /// The pool of an existing device that is there from the start.
  cudaMemPool_t default_of(std::uint32_t device) { return &pools_.at(device); }
  /// The call that destroyed the pool of that handle; 0: it is live, or none.
  trace::call_id destroyed_by(cudaMemPool_t handle) const;
  /// The pool that cudaMallocAsync uses: the one set last, or the default one when that was destroyed.
  cudaMemPool_t current_of(std::uint32_t device);
  /// @see CUDA Runtime API, cudaDeviceSetMemPool
  void set_current(std::uint32_t device, cudaMemPool_t pool) { current_[device] = pool; }
  /// Bytes of a device that its pools have taken from it.
  std::size_t reserved_on(std::uint32_t device) const;
  /// Whether no pool of the device took memory from it before: true once. Measured on an H200 (driver 580, CUDA 13.0): the first
  /// stream-ordered memory of a process costs its host milliseconds, from whatever pool; the first of another pool does not.
  bool takes_first_memory_on(std::uint32_t device) { return have_memory_.insert(device).second; }
  /// The host has synchronized: pools give back what they need not keep.
  void synchronized() {
    for (CUmemPoolHandle_st& pool : pools_) pool.books.synchronized();
  }

 private:
  std::deque<CUmemPoolHandle_st> pools_;
  std::map<std::uint32_t, cudaMemPool_t> current_;  // by device, as set
  std::set<std::uint32_t> have_memory_;             // devices
};

}  // namespace cuda_runtime
