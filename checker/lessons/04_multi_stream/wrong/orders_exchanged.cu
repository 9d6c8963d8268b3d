// fails: BothOrdersAreQueued also: OverlapIsNearTheBest
// where: 35 cause: order_not_followed
// Each order has its branch, but the two are exchanged.
#include "multi_stream.h"

plan make_plan(int device) {
  int copy_engines = 0;
  cudaDeviceGetAttribute(&copy_engines, cudaDevAttrAsyncEngineCount, device);
  return {copy_engines, 8, 4, issue_order::depth_first};
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  const int length = (work.elements + chosen.chunks - 1) / chosen.chunks;
  const int first = index * length;
  const int rest = work.elements - first;
  return {first, rest < length ? rest : length};
}

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

void add_in_chunks(const vectors& work, const plan& chosen) {
  const auto stream_of = [&](int index) { return work.streams[index % chosen.streams]; };
  if (chosen.order == issue_order::breadth_first) {
    for (int index = 0; index < chosen.chunks; ++index) {
      const chunk part = chunk_at(work, chosen, index);
      copy_inputs(work, part, stream_of(index));
      add_chunk(work, part, stream_of(index));
      copy_sum(work, part, stream_of(index));
    }
  } else {
    for (int index = 0; index < chosen.chunks; ++index)
      copy_inputs(work, chunk_at(work, chosen, index), stream_of(index));
    for (int index = 0; index < chosen.chunks; ++index)
      add_chunk(work, chunk_at(work, chosen, index), stream_of(index));
    for (int index = 0; index < chosen.chunks; ++index)
      copy_sum(work, chunk_at(work, chosen, index), stream_of(index));
  }
  cudaDeviceSynchronize();
}
