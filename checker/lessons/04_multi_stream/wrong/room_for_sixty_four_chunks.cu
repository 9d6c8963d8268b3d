// fails: EveryElementIsRight also: BothOrdersAreQueued
// where: 45 cause: output_not_written
// Has room for 64 chunks, and leaves out what comes behind them: the caller asks for more.
#include "multi_stream.h"

#include <algorithm>

plan make_plan(int device) {
  // TODO 1, done: with one copy engine a copy back stands in the queue before later copies in, so all copies
  // in must be queued first; a stream must then not be used twice. Eight chunks hide most of what can be
  // hidden.
  int copy_engines = 0;
  cudaDeviceGetAttribute(&copy_engines, cudaDevAttrAsyncEngineCount, device);
  if (copy_engines == 1) return {copy_engines, 8, 8, issue_order::breadth_first};
  return {copy_engines, 8, 4, issue_order::depth_first};
  // end of TODO 1
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  // TODO 2, done: rounded up, so that nothing is left over; the last chunk takes what there is.
  const int length = (work.elements + chosen.chunks - 1) / chosen.chunks;
  const int first = index * length;
  return {first, first + length <= work.elements ? length : work.elements - first};
  // end of TODO 2
}

// TODO 3, done: the stream of the chunk keeps the steps in order. Each chunk has its own slice of the device
// arrays, so chunks of different streams share nothing.
static void copy_inputs(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpyAsync(work.device_left + part.first, work.left + part.first, bytes, cudaMemcpyHostToDevice,
                  stream);
  cudaMemcpyAsync(work.device_right + part.first, work.right + part.first, bytes, cudaMemcpyHostToDevice,
                  stream);
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
// end of TODO 3

void add_in_chunks(const vectors& work, const plan& chosen) {
  // TODO 4, done: both orders queue the same operations in the same streams. The one wait comes last.
  const auto stream_of = [&](int index) { return work.streams[index % chosen.streams]; };
  chunk parts[64];
  const int count = std::min(chosen.chunks, 64);
  for (int index = 0; index < count; ++index) parts[index] = chunk_at(work, chosen, index);
  const auto each_chunk = [&](auto queue) {
    for (int index = 0; index < count; ++index) queue(work, parts[index], stream_of(index));
  };
  if (chosen.order == issue_order::depth_first) {
    each_chunk([](const vectors& all, const chunk& part, cudaStream_t stream) {
      copy_inputs(all, part, stream);
      add_chunk(all, part, stream);
      copy_sum(all, part, stream);
    });
  } else {
    each_chunk(copy_inputs);
    each_chunk(add_chunk);
    each_chunk(copy_sum);
  }
  cudaDeviceSynchronize();
  // end of TODO 4
}
