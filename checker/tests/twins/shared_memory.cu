// Threads of a block that share memory: what orders them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 128;

__device__ __forceinline__ void meet(bool is_called) {
  if (is_called) __syncthreads();
}

__global__ void reverse(int* data, bool is_correct) {
  __shared__ int tile[threads];
  tile[threadIdx.x] = data[threadIdx.x];
  meet(is_correct);
  data[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

__global__ void sums_of_tiles(const int* from, int* to, bool is_correct) {
  __shared__ int tile[threads];
  int sum = 0;
  for (int first = 0; first < count; first += threads) {
    tile[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < threads; ++i) sum += tile[i];
    meet(is_correct);
  }
  to[threadIdx.x] = sum;
}

__global__ void reduce(const int* from, int* to, bool is_correct) {
  __shared__ int part[64];
  part[threadIdx.x] = from[threadIdx.x];
  part[threadIdx.x + 32] = 0;
  __syncwarp();
  for (int distance = 16; distance > 0; distance /= 2) {
    const int sum = part[threadIdx.x] + part[threadIdx.x + distance];
    if (is_correct) __syncwarp();
    part[threadIdx.x] = sum;
    if (is_correct) __syncwarp();
  }
  if (threadIdx.x == 0) *to = part[0];
}

// As every older tutorial has it.
__device__ void reduce_in_step(volatile int* part) {
  const unsigned i = threadIdx.x;
  part[i] += part[i ^ 8];
  part[i] += part[i ^ 4];
}

__global__ void reduce_volatile(const int* from, int* to, bool is_correct) {
  extern __shared__ int part[];
  part[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  if (is_correct) {
    int sum = part[threadIdx.x];
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, 8);
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, 4);
    part[threadIdx.x] = sum;
  } else {
    reduce_in_step(part);
  }
  to[threadIdx.x] = part[threadIdx.x];
}

__global__ void histogram(const int* from, unsigned int* to, bool is_correct) {
  __shared__ unsigned int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[from[threadIdx.x] & 15], 1U);
  meet(is_correct);
  if (threadIdx.x < 16) to[threadIdx.x] = counts[threadIdx.x];
}

__global__ void under_a_lock(const int* from, int* to, bool is_correct) {
  __shared__ int lock, sum;
  __shared__ bool has_begun;
  if (threadIdx.x == 0) lock = sum = 0;
  has_begun = true;  // all write the same
  __syncthreads();
  if (is_correct) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
  }
  sum += from[threadIdx.x];
  if (is_correct) {
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *to = has_begun ? sum : 0;
}

__global__ void reverse_copied_tile(const int* from, int* to, bool is_correct) {
  __shared__ int tile[threads];
  const auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, from, sizeof tile);
  if (is_correct) cooperative_groups::wait(block);
  to[threadIdx.x] = tile[threads - 1 - threadIdx.x];
  cooperative_groups::wait(block);
}

// A thread that waits for its copies knows nothing of those of others.
__global__ void reverse_piped_tile(const int* from, int* to, bool is_correct) {
  __shared__ int tile[threads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  meet(is_correct);
  to[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

// What a barrier object orders is known when its phase has ended.
__global__ void reverse_at_a_barrier_object(const int* from, int* to, bool is_correct) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[threads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = from[threadIdx.x];
  auto token = barrier.arrive();
  if (is_correct) barrier.wait(std::move(token));
  to[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

__global__ void use_a_barrier_object(int* to, bool is_correct) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  meet(is_correct);
  barrier.arrive_and_wait();
  to[threadIdx.x] = 1;
}

__global__ void reverse_a_stage(const int* from, int* to, bool is_correct) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[threads];
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, tile, from, sizeof tile, pipeline);
  pipeline.producer_commit();
  if (is_correct) pipeline.consumer_wait();
  to[threadIdx.x] = tile[threads - 1 - threadIdx.x];
  if (!is_correct) pipeline.consumer_wait();
  pipeline.consumer_release();
}

/// The compiler may make a copy of the one barrier for each half.
__global__ void set_around_a_barrier(int* data, bool is_correct) {
  const bool is_low = threadIdx.x < threads / 2;
  if (is_low) data[threadIdx.x] = 1;
  if (is_low && !is_correct) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (!is_low) data[threadIdx.x] = 2;
}

struct buffers {
  buffers() { fill<<<count / 256, 256>>>(from, count, 3); }
  device_buffer from, to;
};

}  // namespace

TWIN(barrier_after_a_tile_is_stored, "shared_memory_race") {
  buffers used;
  reverse<<<1, threads>>>(used.from, is_correct);
}

TWIN(wait_before_a_copied_tile_is_read, "shared_memory_race") {
  buffers used;
  reverse_copied_tile<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(barrier_after_the_wait_for_own_copies, "shared_memory_race") {
  buffers used;
  reverse_piped_tile<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(wait_after_an_arrival_at_a_barrier_object, "shared_memory_race") {
  buffers used;
  reverse_at_a_barrier_object<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(barrier_after_a_barrier_object_is_made, "shared_memory_race") {
  buffers used;
  use_a_barrier_object<<<1, threads>>>(used.to, is_correct);
}

TWIN(wait_before_a_stage_of_a_pipeline_is_read, "shared_memory_race") {
  buffers used;
  reverse_a_stage<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(barrier_before_the_next_tile, "shared_memory_race") {
  buffers used;
  sums_of_tiles<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(warp_in_step, "shared_memory_race") {
  buffers used;
  reduce<<<1, 32>>>(used.from, used.to, is_correct);
}

TWIN(shuffle_instead_of_volatile, "shared_memory_race") {
  buffers used;
  reduce_volatile<<<1, 32, 32 * sizeof(int)>>>(used.from, used.to, is_correct);
}

TWIN(barrier_before_counts_are_read, "shared_memory_race") {
  buffers used;
  histogram<<<1, threads>>>(used.from, reinterpret_cast<unsigned int*>(static_cast<int*>(used.to)), is_correct);
}

TWIN(lock_in_shared_memory, "shared_memory_race") {
  buffers used;
  under_a_lock<<<1, threads>>>(used.from, used.to, is_correct);
}

TWIN(one_barrier_for_all_threads, "barrier_mismatch") {
  buffers used;
  set_around_a_barrier<<<1, threads>>>(used.to, is_correct);
}
