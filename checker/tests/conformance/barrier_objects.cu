// barrier_objects.cu: barriers that are objects, and the pipelines and copies of a block that are made of them.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>

#include "rule.h"

// A shared barrier is made by init(), not by its constructor.
#pragma nv_diag_suppress static_var_with_dynamic_init

using namespace conformance;
namespace cg = cooperative_groups;

namespace {

constexpr int threads = 64;
constexpr int rounds = 7;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

std::vector<int> results_of(void (*kernel)(const int*, int*), int given, int expected) {
  std::vector<int> values(given);
  for (int i = 0; i < given; ++i) values[i] = i;
  int *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, given * sizeof(int)));
  CHECK(cudaMemcpy(from, values.data(), given * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&to, expected * sizeof(int)));
  CHECK(cudaMemset(to, 0, expected * sizeof(int)));
  kernel<<<1, threads>>>(from, to);
  CHECK(cudaGetLastError());
  std::vector<int> results(expected);
  CHECK(cudaMemcpy(results.data(), to, expected * sizeof(int), cudaMemcpyDeviceToHost));
  return results;
}

__global__ void reverse_in_rounds(const int* from, int* to) {
  __shared__ block_barrier barrier;
  __shared__ int values[threads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = from[threadIdx.x] + round;
    barrier.arrive_and_wait();
    to[round * threads + threadIdx.x] = values[threads - 1 - threadIdx.x];
    barrier.wait(barrier.arrive());
  }
}

// The first warp fills, the second one uses.
__global__ void hand_over(const int* from, int* to) {
  __shared__ block_barrier filled, released;
  __shared__ int values[32];
  if (threadIdx.x == 0) {
    init(&filled, blockDim.x);
    init(&released, blockDim.x);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      values[lane] = from[round * 32 + lane];
      (void)filled.arrive();
      released.arrive_and_wait();
    } else {
      filled.arrive_and_wait();
      to[round * 32 + lane] = 10 * values[31 - lane];
      (void)released.arrive();
    }
  }
}

// Thread i takes part in i + 1 phases.
__global__ void leave_one_by_one(const int*, int* to) {
  __shared__ block_barrier barrier;
  __shared__ int there;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    there = blockDim.x;
  }
  __syncthreads();
  for (int phase = 0; phase < threads; ++phase) {
    if (phase == static_cast<int>(threadIdx.x)) {
      to[threadIdx.x] = atomicSub(&there, 1);
      barrier.arrive_and_drop();
      return;
    }
    barrier.arrive_and_wait();
  }
}

__global__ void ask_for_parity(const int*, int* to) {
  __shared__ block_barrier barrier;
  __shared__ int value;
  if (threadIdx.x == 0) {
    init(&barrier, 1);
    value = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier.wait_parity(true);  // the phase before the first one has ended
    value = 17;
    (void)barrier.arrive();
  }
  while (!barrier.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(100))) {
  }
  to[threadIdx.x] = value;
}

__global__ void copy_until_barrier(const int* from, int* to) {
  __shared__ block_barrier barrier;
  __shared__ alignas(16) int values[threads];
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  for (int round = 0; round < rounds; ++round) {
    cuda::memcpy_async(block, values, from + round * threads, cuda::aligned_size_t<16>(sizeof values), barrier);
    barrier.arrive_and_wait();
    to[round * threads + threadIdx.x] = values[threads - 1 - threadIdx.x];
    block.sync();
  }
}

constexpr int stages = 3;

__global__ void all_fill_and_use(const int* from, int* to) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int values[stages][threads];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int fetched = 0;
  for (int round = 0; round < rounds; ++round) {
    for (; fetched < rounds && fetched < round + stages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, values[fetched % stages], from + fetched * threads, sizeof(int) * threads, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    to[round * threads + threadIdx.x] = values[round % stages][threads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
}

template <typename Pipeline>
__device__ void fill_or_use(Pipeline& pipeline, bool is_producer, int lane, int (*values)[32], const int* from, int* to) {
  for (int round = 0; round < rounds; ++round) {
    int* const stage = values[round % stages];
    if (is_producer) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&stage[lane], &from[round * 32 + lane], sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      to[round * 32 + lane] = stage[31 - lane] + 1;
      pipeline.consumer_release();
    }
  }
}

__global__ void first_threads_fill(const int* from, int* to) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int values[stages][32];
  auto pipeline = cuda::make_pipeline(cg::this_thread_block(), &state, 32);
  fill_or_use(pipeline, threadIdx.x < 32, threadIdx.x % 32, values, from, to);
}

__global__ void odd_threads_fill(const int* from, int* to) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int values[stages][32];
  const bool is_producer = threadIdx.x % 2 == 1;
  auto pipeline = cuda::make_pipeline(cg::this_thread_block(), &state,
                                      is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  fill_or_use(pipeline, is_producer, threadIdx.x / 2, values, from, to);
}

__global__ void by_primitives(const int* from, int* to) {
  __shared__ __mbarrier_t barrier;
  __shared__ int values[threads];
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = from[threadIdx.x];
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  to[threadIdx.x] = values[threads - 1 - threadIdx.x];
}

}  // namespace

RULE(G7, "a barrier object holds its threads phase after phase", programming_guide("Asynchronous Barrier", "Simple Synchronization Pattern"),
     programming_guide("Asynchronous Barrier", "Barrier's Phase: Arrival, Countdown, Completion, and Reset")) {
  const std::vector<int> found = results_of(reverse_in_rounds, threads, rounds * threads);
  for (int i = 0; i < rounds * threads; ++i) EXPECT_EQUAL(found[i], threads - 1 - i % threads + i / threads);
}

RULE(G7, "who arrives need not wait: one warp hands over to another",
     programming_guide("Asynchronous Barrier", "Spatial Partitioning (also known as Warp Specialization)")) {
  const std::vector<int> found = results_of(hand_over, rounds * 32, rounds * 32);
  for (int i = 0; i < rounds * 32; ++i) EXPECT_EQUAL(found[i], 10 * (i / 32 * 32 + 31 - i % 32));
}

RULE(G7, "later phases do not wait for who has dropped out", programming_guide("Asynchronous Barrier", "Early Exit (Dropping out of Participation)")) {
  const std::vector<int> found = results_of(leave_one_by_one, 1, threads);
  for (int i = 0; i < threads; ++i) EXPECT_EQUAL(found[i], threads - i);
}

RULE(G7, "the phases of a barrier have a parity, and the one before the first has ended",
     programming_guide("Asynchronous Barrier", "Explicit Phase Tracking")) {
  for (int found : results_of(ask_for_parity, 1, threads)) EXPECT_EQUAL(found, 17);
}

RULE(G7, "copies that belong to a barrier are there when its phase has ended",
     programming_guide("Asynchronous Data Copies", "memcpy_async and cuda::barrier")) {
  const std::vector<int> found = results_of(copy_until_barrier, rounds * threads, rounds * threads);
  for (int i = 0; i < rounds * threads; ++i) EXPECT_EQUAL(found[i], i / threads * threads + threads - 1 - i % threads);
}

RULE(G7, "in a pipeline of a block every thread may fill and use", programming_guide("Asynchronous Data Copies", "cuda::pipeline")) {
  const std::vector<int> found = results_of(all_fill_and_use, rounds * threads, rounds * threads);
  for (int i = 0; i < rounds * threads; ++i) EXPECT_EQUAL(found[i], i / threads * threads + threads - 1 - i % threads);
}

RULE(G7, "in a pipeline of a block some threads fill for others", programming_guide("Asynchronous Data Copies", "cuda::pipeline")) {
  for (auto* kernel : {first_threads_fill, odd_threads_fill}) {
    const std::vector<int> found = results_of(kernel, rounds * 32, rounds * 32);
    for (int i = 0; i < rounds * 32; ++i) EXPECT_EQUAL(found[i], i / 32 * 32 + 32 - i % 32);
  }
}

RULE(G7, "a barrier by primitives is one, too", programming_guide("Asynchronous Barrier", "Memory Barrier Primitives Interface")) {
  const std::vector<int> found = results_of(by_primitives, threads, threads);
  for (int i = 0; i < threads; ++i) EXPECT_EQUAL(found[i], threads - 1 - i);
}
