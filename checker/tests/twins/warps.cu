// Threads of a warp that exchange values.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "twin.h"

using namespace twins;

namespace {

constexpr int members = 20;

__global__ void sum_of_members(const int* from, int* to, bool is_correct) {
  const auto lane = static_cast<int>(threadIdx.x);
  if (!is_correct && lane >= members) return;
  int sum = lane < members ? from[lane] : 0;
  for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) *to = sum;
}

/// The group's functions are in a header, and are called twice.
__global__ void sum_of_tile(const int* from, int* to, bool is_correct) {
  const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const auto lane = static_cast<int>(tile.thread_rank());
  const int all = cooperative_groups::reduce(tile, 1, cooperative_groups::plus<int>());
  if (!is_correct && lane >= members) return;
  const int own = lane < members ? from[lane] : 0;
  const int sum = cooperative_groups::reduce(tile, own, cooperative_groups::plus<int>());
  if (lane == 0) *to = sum + all;
}

/// Of a block that is smaller than a warp.
__global__ void sum_of_small_block(const int* from, int* to, bool is_correct) {
  int sum = from[threadIdx.x];
  for (unsigned int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(0xffffffff, sum, offset);
    if (!is_correct || threadIdx.x + offset < blockDim.x) sum += other;
  }
  if (threadIdx.x == 0) *to = sum;
}

/// What lanes outside the mask give is read and not used, unless the last value is one of these.
__global__ void sum_of_half_warp(const int* from, int* to, bool is_correct) {
  if (threadIdx.x >= 16) return;
  int sum = from[threadIdx.x];
  for (unsigned int offset = is_correct ? 8 : 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0x0000ffff, sum, offset);
  if (threadIdx.x == 0) *to = sum;
}

struct buffers {
  buffers() { fill<<<count / 256, 256>>>(from, count, 3); }
  device_buffer from, to;
};

}  // namespace

TWIN(values_of_all_lanes_that_a_shuffle_reads, "warp_mismatch") {
  buffers used;
  sum_of_members<<<1, 32>>>(used.from, used.to, is_correct);
}

TWIN(values_of_all_threads_of_a_tile, "warp_mismatch") {
  buffers used;
  sum_of_tile<<<1, 32>>>(used.from, used.to, is_correct);
}

TWIN(guard_around_lanes_that_a_block_does_not_have, "warp_mismatch") {
  buffers used;
  sum_of_small_block<<<1, members>>>(used.from, used.to, is_correct);
}

TWIN(offsets_within_the_mask, "warp_mismatch") {
  buffers used;
  sum_of_half_warp<<<1, 32>>>(used.from, used.to, is_correct);
}
