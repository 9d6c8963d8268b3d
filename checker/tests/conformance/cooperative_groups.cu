// cooperative_groups.cu: groups of threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "conformance/gate.h"

using namespace conformance;
namespace cg = cooperative_groups;

namespace {

template <typename... Parameters>
std::vector<int> results_of(void (*kernel)(int*, Parameters...), unsigned int threads,
                            unsigned int per_thread) {
  int* device = nullptr;
  CHECK(cudaMalloc(&device, threads * per_thread * sizeof(int)));
  CHECK(cudaMemset(device, 0, threads * per_thread * sizeof(int)));
  kernel<<<1, threads>>>(device);
  CHECK(cudaGetLastError());
  std::vector<int> results(threads * per_thread);
  CHECK(cudaMemcpy(results.data(), device, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return results;
}

/// Works with any group.
__device__ int sum_of(const cg::thread_group& group, int* space, int value) {
  const int rank = static_cast<int>(group.thread_rank());
  space[rank] = value;
  group.sync();
  int sum = 0;
  for (int i = 0; i < static_cast<int>(group.size()); ++i) sum += space[i];
  group.sync();
  return sum;
}

__device__ int place_of(const cg::thread_block_tile<8>& tile) {
  return static_cast<int>(100 * tile.meta_group_size() + 10 * tile.meta_group_rank() + tile.thread_rank());
}

__global__ void name_no_parent(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const cg::thread_block_tile<8> of_block = cg::tiled_partition<8>(block);
  out[2 * block.thread_rank()] = place_of(of_block);
  out[2 * block.thread_rank() + 1] = place_of(cg::tiled_partition<8>(warp));
}

__global__ void sum_block_and_tiles(int* out) {
  __shared__ int space[64];
  const cg::thread_block block = cg::this_thread_block();
  const int t = static_cast<int>(block.thread_rank());
  out[4 * t] = sum_of(block, space, t);
  const cg::thread_group half = cg::tiled_partition(block, 16);
  out[4 * t + 1] = sum_of(half, space + t / 16 * 16, t);
  const auto tile = cg::tiled_partition<8>(block);
  out[4 * t + 2] = cg::reduce(tile, t, cg::plus<int>());
  out[4 * t + 3] = static_cast<int>(tile.meta_group_rank() * 100 + tile.thread_rank());
  cg::sync(block);
}

struct three_words {
  int first, second, third;
};

__global__ void exchange_in_tiles(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto tile = cg::tiled_partition<4>(warp);
  const int t = static_cast<int>(threadIdx.x);
  out[6 * t] = tile.shfl(t, 2);
  out[6 * t + 1] = tile.shfl_down(t, 1) + 1000 * tile.shfl_up(t, 1);
  out[6 * t + 2] = tile.shfl_xor(t, 3);
  out[6 * t + 3] =
      static_cast<int>(tile.ballot(t % 2)) + 100 * (tile.any(t == 5) != 0) + 1000 * (tile.all(t < 4) != 0);
  const three_words words = tile.shfl(three_words{t, 2 * t, 3 * t}, 1);
  out[6 * t + 4] = words.first + words.second + words.third;
  out[6 * t + 5] = static_cast<int>(tile.match_any(t / 2));
}

__global__ void group_by_branch(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  if (t % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    out[3 * t] = static_cast<int>(active.size());
    out[3 * t + 1] = static_cast<int>(active.thread_rank());
    out[3 * t + 2] = active.shfl(t, 2);
  }
}

__global__ void group_by_label(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = static_cast<int>(threadIdx.x);
  const auto same = cg::labeled_partition(warp, t % 5);
  out[2 * t] = cg::reduce(same, t, cg::plus<int>());
  out[2 * t + 1] = static_cast<int>(cg::binary_partition(warp, t < 7).size());
}

__global__ void describe_grid(int* out) {
  const cg::grid_group grid = cg::this_grid();
  out[threadIdx.x] = static_cast<int>(grid.size()) + static_cast<int>(grid.thread_rank());
}

}  // namespace

RULE(G1, "blocks and tiles synchronize and sum",
     programming_guide("Cooperative Groups", "thread_block, thread_block_tile")) {
  const auto result = results_of(sum_block_and_tiles, 64, 4);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQUAL(result[4 * t], 63 * 32);
    EXPECT_EQUAL(result[4 * t + 1], t / 16 * 16 * 16 + 15 * 8);
    EXPECT_EQUAL(result[4 * t + 2], t / 8 * 8 * 8 + 7 * 4);
    EXPECT_EQUAL(result[4 * t + 3], t / 8 * 100 + t % 8);
  }
}

RULE(G1, "a tile is a tile of its size, whatever it is a part of",
     programming_guide("Cooperative Groups", "thread_block_tile")) {
  const auto result = results_of(name_no_parent, 64, 2);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQUAL(result[2 * t], 800 + t / 8 * 10 + t % 8);
    EXPECT_EQUAL(result[2 * t + 1], 400 + t % 32 / 8 * 10 + t % 8);
  }
}

RULE(G2, "threads of a tile exchange values of any type, and vote",
     programming_guide("Cooperative Groups", "thread_block_tile")) {
  const auto result = results_of(exchange_in_tiles, 32, 6);
  for (int t = 0; t < 32; ++t) {
    const int first = t / 4 * 4;
    EXPECT_EQUAL(result[6 * t], first + 2);
    EXPECT_EQUAL(result[6 * t + 1], (t % 4 == 3 ? t : t + 1) + 1000 * (t % 4 == 0 ? t : t - 1));
    EXPECT_EQUAL(result[6 * t + 2], t ^ 3);
    EXPECT_EQUAL(result[6 * t + 3], 10 + (first == 4 ? 100 : 0) + (first == 0 ? 1000 : 0));
    EXPECT_EQUAL(result[6 * t + 4], 6 * (first + 1));
    EXPECT_EQUAL(result[6 * t + 5], t % 4 < 2 ? 3 : 12);
  }
}

RULE(G3, "the threads that take a branch are a group",
     programming_guide("Cooperative Groups", "coalesced groups")) {
  const auto result = results_of(group_by_branch, 32, 3);
  for (int t = 0; t < 32; t += 3) {
    EXPECT_EQUAL(result[3 * t], 11);
    EXPECT_EQUAL(result[3 * t + 1], t / 3);
    EXPECT_EQUAL(result[3 * t + 2], 6);
  }
}

RULE(G3, "a group is divided by label and by predicate",
     programming_guide("Cooperative Groups", "labeled_partition, binary_partition")) {
  const auto result = results_of(group_by_label, 32, 2);
  for (int t = 0; t < 32; ++t) {
    int sum = 0;
    for (int i = t % 5; i < 32; i += 5) sum += i;
    EXPECT_EQUAL(result[2 * t], sum);
    EXPECT_EQUAL(result[2 * t + 1], t < 7 ? 7 : 25);
  }
}

RULE(G4, "a grid knows its size in an ordinary launch too",
     programming_guide("Cooperative Groups", "grid_group")) {
  const auto result = results_of(describe_grid, 32, 1);
  for (int t = 0; t < 32; ++t) EXPECT_EQUAL(result[t], 32 + t);
}

namespace {
/// Every block adds up what all blocks wrote, round after round.
__global__ void sum_in_rounds(int* values, int* sums, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int own = static_cast<int>(blockIdx.x);
  for (int round = 0; round < rounds; ++round) {
    int sum = 1;
    for (int i = 0; i < static_cast<int>(gridDim.x); ++i) sum += values[i];
    grid.sync();
    if (threadIdx.x == 0) values[own] = sum;
    grid.sync();
  }
  if (threadIdx.x == 0) sums[own] = grid.is_valid() ? values[own] : -1;
}

int max_blocks(int threads) {
  int per_multiprocessor = 0;
  int multiprocessors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, sum_in_rounds, threads, 0));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return per_multiprocessor * multiprocessors;
}

cudaError_t launch_cooperatively(int blocks, int threads, void** arguments) {
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&sum_in_rounds), dim3(blocks),
                                     dim3(threads), arguments, 0, nullptr);
}
}  // namespace

RULE(G5, "all blocks of a cooperative launch wait for each other",
     programming_guide("Cooperative Groups", "grid synchronization"),
     runtime_api("Execution Control", "cudaLaunchCooperativeKernel")) {
  constexpr int blocks = 4;
  int* memory = nullptr;
  int rounds = 3;
  CHECK(cudaMalloc(&memory, 2 * blocks * sizeof(int)));
  CHECK(cudaMemset(memory, 0, 2 * blocks * sizeof(int)));
  int* sums = memory + blocks;
  void* arguments[] = {&memory, &sums, &rounds};
  CHECK(launch_cooperatively(blocks, 64, arguments));
  int result[blocks] = {};
  CHECK(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
  for (const int sum : result) EXPECT_EQUAL(sum, 1 + blocks * (1 + blocks));
}

RULE(G5, "a device of compute capability 6.0 and later says that it takes cooperative launches",
     runtime_api("Data types", "cudaDevAttrCooperativeLaunch"),
     programming_guide("Cooperative Groups", "grid synchronization")) {
  int takes_them = 0, major = 0;
  CHECK(cudaDeviceGetAttribute(&takes_them, cudaDevAttrCooperativeLaunch, 0));
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT_EQUAL(takes_them, static_cast<int>(major >= 6));
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQUAL(properties.cooperativeLaunch, takes_them);
}

RULE(G5, "a cooperative launch of more blocks than the device holds at once is refused",
     runtime_api("Execution Control", "cudaLaunchCooperativeKernel"),
     runtime_api("Data types", "cudaErrorCooperativeLaunchTooLarge")) {
  int* memory = nullptr;
  int rounds = 0;
  const int max_count = max_blocks(1024);
  CHECK(cudaMalloc(&memory, 2 * (max_count + 1) * sizeof(int)));
  int* sums = memory + max_count + 1;
  void* arguments[] = {&memory, &sums, &rounds};
  EXPECT_EQUAL(launch_cooperatively(max_count, 1024, arguments), cudaSuccess);
  EXPECT_EQUAL(launch_cooperatively(max_count + 1, 1024, arguments), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
}
