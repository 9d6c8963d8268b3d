// fails: WorkIsOrdered also: EveryElementIsRight, BothOrdersAreQueued
// where: 28 cause: result_not_awaited
// Step by step, the turn of the streams goes on counting from the copies to the kernels.
#include <algorithm>

#include "multi_stream.h"

plan make_plan(int device) {
  int engines = 0;
  cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, device);
  if (engines < 2) return {engines, 8, 8, issue_order::breadth_first};
  return {engines, 8, 4, issue_order::depth_first};
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  const int length = (work.elements + chosen.chunks - 1) / chosen.chunks;
  const int first = index * length;
  return {first, std::min(length, work.elements - first)};
}

static void copy_inputs(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpyAsync(work.device_left + part.first, work.left + part.first, bytes, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(work.device_right + part.first, work.right + part.first, bytes, cudaMemcpyHostToDevice, stream);
}

static void add_chunk(const vectors& work, const chunk& part, cudaStream_t stream) {
  add<<<blocks, threads_per_block, 0, stream>>>(work.device_left + part.first, work.device_right + part.first,
                                                work.device_sum + part.first, part.first, part.elements,
                                                work.cycles);
}

static void copy_sum(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpyAsync(work.sum + part.first, work.device_sum + part.first, bytes, cudaMemcpyDeviceToHost, stream);
}

void add_in_chunks(const vectors& work, const plan& chosen) {
  if (chosen.order == issue_order::depth_first) {
    for (int index = 0; index < chosen.chunks; ++index) {
      const chunk part = chunk_at(work, chosen, index);
      const cudaStream_t stream = work.streams[index % chosen.streams];
      copy_inputs(work, part, stream);
      add_chunk(work, part, stream);
      copy_sum(work, part, stream);
    }
  } else {
    int turn = 0;
    for (int index = 0; index < chosen.chunks; ++index)
      copy_inputs(work, chunk_at(work, chosen, index), work.streams[turn++ % chosen.streams]);
    for (int index = 0; index < chosen.chunks; ++index)
      add_chunk(work, chunk_at(work, chosen, index), work.streams[turn++ % chosen.streams]);
    for (int index = 0; index < chosen.chunks; ++index)
      copy_sum(work, chunk_at(work, chosen, index), work.streams[turn++ % chosen.streams]);
  }
  cudaDeviceSynchronize();
}
