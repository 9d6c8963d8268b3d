// fails: WorkIsOrderedAcrossDevices also: EveryCellIsRight
// where: 21 cause: result_not_awaited
// Each half makes the other one wait for what it has itself sent.
#include "two_gpus.h"

#include <utility>

void connect(const half halves[2]) {
  for (int side = 0; side < 2; ++side) {
    int can = 0;
    cudaDeviceCanAccessPeer(&can, halves[side].device, halves[1 - side].device);
    if (can != 0) {
      cudaSetDevice(halves[side].device);
      cudaDeviceEnablePeerAccess(halves[1 - side].device, 0);
    }
  }
}

/// The kernels of `receiver` need what `sender` has sent.
static void needs_ghosts(const half& receiver, const half& sender) {
  cudaStreamWaitEvent(receiver.compute, sender.sent, 0);
}

/// Sends the edge to the other half, behind its kernel.
static void send_edge(const half& from, float* source, const half& to, float* target, std::size_t bytes) {
  cudaEventRecord(from.edge_ready, from.compute);
  cudaStreamWaitEvent(from.exchange, from.edge_ready, 0);
  cudaMemcpyPeerAsync(target + to.ghost, to.device, source + from.edge, from.device, bytes, from.exchange);
  cudaEventRecord(from.sent, from.exchange);
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
      needs_ghosts(other, mine);
      compute_edge<<<work.blocks, threads_per_block, 0, mine.compute>>>(now[side], next[side], mine.edge, work.reach,
                                                                        work.edge_cycles);
    }
    for (int side = 0; side < 2; ++side) {
      const half& mine = work.halves[side];
      const half& other = work.halves[1 - side];
      cudaSetDevice(mine.device);
      send_edge(mine, next[side], other, next[1 - side], edge_bytes);
      compute_interior<<<work.blocks, threads_per_block, 0, mine.compute>>>(now[side], next[side], mine.interior,
                                                                            work.cells - work.reach, work.reach,
                                                                            work.interior_cycles);
    }
    std::swap(now, next);
  }

  for (int side = 0; side < 2; ++side) {
    cudaSetDevice(work.halves[side].device);
    cudaMemcpyAsync(work.results + side * work.cells, now[side] + work.reach, half_bytes, cudaMemcpyDeviceToHost,
                    work.halves[side].compute);
  }
  for (int side = 0; side < 2; ++side) {
    cudaStreamSynchronize(work.halves[side].compute);
    cudaStreamSynchronize(work.halves[side].exchange);
  }
}
