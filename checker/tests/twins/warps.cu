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
