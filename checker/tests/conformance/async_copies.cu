// async_copies.cu: copies inside kernels that a thread asks for and waits for later.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "rule.h"

using namespace conformance;
namespace cg = cooperative_groups;

namespace {

constexpr int threads = 64;
constexpr int rounds = 5;

/// 0, 1, 2, ... in device memory.
int* numbers(int count) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = i;
  int* device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(int)));
  CHECK(cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  return device;
}

std::vector<int> results_of(void (*kernel)(const int*, int*), int given, int expected) {
  const int* from = numbers(given);
  int* to = nullptr;
  CHECK(cudaMalloc(&to, expected * sizeof(int)));
  CHECK(cudaMemset(to, 0, expected * sizeof(int)));
  kernel<<<1, threads>>>(from, to);
  CHECK(cudaGetLastError());
  std::vector<int> results(expected);
  CHECK(cudaMemcpy(results.data(), to, expected * sizeof(int), cudaMemcpyDeviceToHost));
  return results;
}

__global__ void reverse(const int* from, int* to) {
  __shared__ int values[threads + 1];
  const cg::thread_block block = cg::this_thread_block();
  // Not a multiple of 16 bytes, and from an odd place.
  cg::memcpy_async(block, values, from + 1, sizeof(int) * (threads + 1));
  cg::wait(block);
  to[threadIdx.x] = values[threads - threadIdx.x];
}

__global__ void add_neighbours(const int* from, int* to) {
  __shared__ int values[2][threads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, values[0], blockDim.x, from, blockDim.x);
  for (int round = 0; round < rounds; ++round) {
    const int* const next = from + (round + 1) * threads;
    cg::memcpy_async(block, values[(round + 1) % 2], blockDim.x, next, blockDim.x);
    cg::wait_prior<1>(block);
    to[round * threads + threadIdx.x] = values[round % 2][(threadIdx.x + 1) % threads];
    block.sync();
  }
  cg::wait(block);
}

__global__ void by_primitives(const int* from, int* to) {
  __shared__ int4 values[2][threads];
  const auto* const pieces = reinterpret_cast<const int4*>(from);
  __pipeline_memcpy_async(&values[0][threadIdx.x], pieces + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&values[1][threadIdx.x], pieces + threads + threadIdx.x, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  to[threadIdx.x] = values[0][threadIdx.x].w;
  __pipeline_wait_prior(0);
  to[threads + threadIdx.x] = values[1][threadIdx.x].y + values[1][threadIdx.x].z + values[1][threadIdx.x].w;
}

__global__ void by_pipeline(const int* from, int* to) {
  __shared__ int values[2][threads];
  auto pipeline = cuda::make_pipeline();
  const auto fetch = [&](int round) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&values[round % 2][threadIdx.x], from + round * threads + threadIdx.x, sizeof(int), pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) fetch(round + 1);
    pipeline.consumer_wait();
    to[round * threads + threadIdx.x] = 2 * values[round % 2][threadIdx.x];
    pipeline.consumer_release();
  }
}

}  // namespace

RULE(G6, "a group that has waited sees what its threads copied together",
     programming_guide("Cooperative Groups", "memcpy_async"), programming_guide("Cooperative Groups", "wait and wait_prior")) {
  const std::vector<int> found = results_of(reverse, threads + 2, threads);
  for (int i = 0; i < threads; ++i) EXPECT_EQUAL(found[i], threads + 1 - i);
}

RULE(G6, "a group waits for all copies but the latest ones", programming_guide("Cooperative Groups", "wait and wait_prior")) {
  const std::vector<int> found = results_of(add_neighbours, (rounds + 1) * threads, rounds * threads);
  for (int i = 0; i < rounds * threads; ++i) EXPECT_EQUAL(found[i], i / threads * threads + (i + 1) % threads);
}

RULE(G6, "a thread waits for all batches of its copies but the latest ones, and may ask for zeros",
     programming_guide("Pipeline Primitives Interface", "memcpy_async primitive"),
     programming_guide("Pipeline Primitives Interface", "wait primitive")) {
  const std::vector<int> found = results_of(by_primitives, 8 * threads, 2 * threads);
  for (int i = 0; i < threads; ++i) {
    EXPECT_EQUAL(found[i], 4 * i + 3);
    EXPECT_EQUAL(found[threads + i], 4 * (threads + i) + 1);
  }
}

RULE(G6, "a pipeline of one thread gives its batches in order", programming_guide("Asynchronous Data Copies", "cuda::pipeline")) {
  const std::vector<int> found = results_of(by_pipeline, rounds * threads, rounds * threads);
  for (int i = 0; i < rounds * threads; ++i) EXPECT_EQUAL(found[i], 2 * i);
}
