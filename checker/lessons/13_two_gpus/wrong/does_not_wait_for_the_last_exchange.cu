// fails: WorkIsOrderedAcrossDevices
// where: 56 cause: unfinished_at_return
// Nothing waits for what is sent after the last step, and the caller reads it.
#include <utility>

#include "two_gpus.h"

void connect(const half halves[2]) {
  for (int side = 0; side < 2; ++side) {
    int can = 0;
    cudaDeviceCanAccessPeer(&can, halves[side].device, halves[1 - side].device);
    if (!can) continue;
    cudaSetDevice(halves[side].device);
    cudaDeviceEnablePeerAccess(halves[1 - side].device, 0);
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
      compute_edge<<<work.blocks, threads_per_block, 0, mine.compute>>>(now[side], next[side], mine.edge,
                                                                        work.reach, work.edge_cycles);
    }
    for (int side = 0; side < 2; ++side) {
      const half& mine = work.halves[side];
      const half& other = work.halves[1 - side];
      cudaSetDevice(mine.device);
      cudaEventRecord(mine.edge_ready, mine.compute);
      cudaStreamWaitEvent(mine.exchange, mine.edge_ready, 0);
      cudaMemcpyPeerAsync(next[1 - side] + other.ghost, other.device, next[side] + mine.edge, mine.device,
                          edge_bytes, mine.exchange);
      cudaEventRecord(mine.sent, mine.exchange);
      compute_interior<<<work.blocks, threads_per_block, 0, mine.compute>>>(
          now[side], next[side], mine.interior, work.cells - work.reach, work.reach, work.interior_cycles);
    }
    std::swap(now, next);
  }

  for (int side = 0; side < 2; ++side) {
    const half& mine = work.halves[side];
    cudaSetDevice(mine.device);
    cudaMemcpyAsync(work.results + static_cast<std::size_t>(side) * work.cells, now[side] + work.reach,
                    half_bytes, cudaMemcpyDeviceToHost, mine.compute);
  }
  for (const half& mine : work.halves) {
    cudaSetDevice(mine.device);
    cudaStreamSynchronize(mine.compute);
  }
}
