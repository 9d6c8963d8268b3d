// fails: TheDeviceIsAsked
// where: 8 cause: wrong_copy_engines
// Devices that run kernels side by side have two copy engines here, and three on an H200.
#include "multi_stream.h"

plan make_plan(int device) {
  int side_by_side = 0;
  cudaDeviceGetAttribute(&side_by_side, cudaDevAttrConcurrentKernels, device);
  if (side_by_side == 0) return {1, 8, 8, issue_order::breadth_first};
  return {2, 8, 4, issue_order::depth_first};
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  const int length = (work.elements + chosen.chunks - 1) / chosen.chunks;
  const int first = index * length;
  return {first, first + length <= work.elements ? length : work.elements - first};
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
  const auto each_chunk = [&](auto queue) {
    for (int index = 0; index < chosen.chunks; ++index) {
      queue(work, chunk_at(work, chosen, index), stream_of(index));
    }
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
}
