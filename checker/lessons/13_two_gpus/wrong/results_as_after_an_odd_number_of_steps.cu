// fails: EveryCellIsRight
// where: 54 cause: result_of_another_step
// After an even number of steps the results are in the other buffer.
#include "two_gpus.h"

#include <utility>

void connect(const half halves[2]) {
  for (int side = 0; side < 2; ++side) {
    const int other = halves[1 - side].device;
    int is_possible = 0;
    cudaDeviceCanAccessPeer(&is_possible, halves[side].device, other);
    cudaSetDevice(halves[side].device);
    if (is_possible) cudaDeviceEnablePeerAccess(other, 0);
  }
}

void advance_rod(const rod& work) {
  const std::size_t edge_bytes = static_cast<std::size_t>(work.reach) * sizeof(float);
  const std::size_t half_bytes = static_cast<std::size_t>(work.cells) * sizeof(float);
  float* now[2] = {work.halves[0].now, work.halves[1].now};
  float* next[2] = {work.halves[0].next, work.halves[1].next};

  for (int step = 0; step < work.steps; ++step) {
    for (int side = 0; side < 2; ++side) {
      const half& mine = work.halves[side];
      const half& other = work.halves[1 - side];
      cudaSetDevice(mine.device);

      cudaStreamWaitEvent(mine.compute, other.sent, 0);

      compute_edge<<<work.blocks, threads_per_block, 0, mine.compute>>>(now[side], next[side], mine.edge, work.reach,
                                                                        work.edge_cycles);
    }
    for (int side = 0; side < 2; ++side) {
      const half& mine = work.halves[side];
      const half& other = work.halves[1 - side];
      cudaSetDevice(mine.device);

      cudaEventRecord(mine.edge_ready, mine.compute);
      cudaStreamWaitEvent(mine.exchange, mine.edge_ready, 0);
      cudaMemcpyPeerAsync(next[1 - side] + other.ghost, other.device, next[side] + mine.edge, mine.device, edge_bytes,
                          mine.exchange);
      cudaEventRecord(mine.sent, mine.exchange);

      compute_interior<<<work.blocks, threads_per_block, 0, mine.compute>>>(now[side], next[side], mine.interior,
                                                                            work.cells - work.reach, work.reach,
                                                                            work.interior_cycles);
    }
    std::swap(now, next);
  }

  for (int side = 0; side < 2; ++side) {
    cudaMemcpyAsync(work.results + side * work.cells, work.halves[side].next + work.reach, half_bytes,
                    cudaMemcpyDeviceToHost, work.halves[side].compute);
  }
  for (int side = 0; side < 2; ++side) {
    cudaSetDevice(work.halves[side].device);
    cudaDeviceSynchronize();
  }
}
