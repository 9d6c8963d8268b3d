// fails: EveryElementIsRight
// where: 16 cause: output_not_written
// The length of a chunk is rounded down; the steps are called through pointers to functions.
#include <algorithm>

#include "multi_stream.h"

plan make_plan(int device) {
  int engines = 0;
  cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, device);
  const issue_order order = engines > 1 ? issue_order::depth_first : issue_order::breadth_first;
  return {engines, 8, 4, order};
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  const int length = work.elements / chosen.chunks;
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
  using step = void (*)(const vectors&, const chunk&, cudaStream_t);
  const step steps[] = {copy_inputs, add_chunk, copy_sum};
  const auto queue = [&](step what, int index) {
    what(work, chunk_at(work, chosen, index), work.streams[index % chosen.streams]);
  };

  if (chosen.order == issue_order::depth_first) {
    for (int index = 0; index < chosen.chunks; ++index)
      for (const step what : steps) queue(what, index);
  } else {
    for (const step what : steps)
      for (int index = 0; index < chosen.chunks; ++index) queue(what, index);
  }
  cudaDeviceSynchronize();
}
