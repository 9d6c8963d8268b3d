// fails: EveryElementIsRight also: BothOrdersAreQueued
// where: 48 cause: output_not_written
// Step by step, the functions are called when the variables that they hold by reference are gone.
#include <algorithm>
#include <functional>
#include <vector>

#include "multi_stream.h"

plan make_plan(int device) {
  int engines = 0;
  cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, device);
  return {engines, 8, 4, engines > 1 ? issue_order::depth_first : issue_order::breadth_first};
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
  using step = std::function<void()>;
  std::vector<step> kernels;
  std::vector<step> copies_back;

  for (int index = 0; index < chosen.chunks; ++index) {
    const chunk part = chunk_at(work, chosen, index);
    const cudaStream_t stream = work.streams[index % chosen.streams];
    const step compute = [&] { add_chunk(work, part, stream); };
    const step bring_back = [&] { copy_sum(work, part, stream); };

    copy_inputs(work, part, stream);
    if (chosen.order == issue_order::depth_first) {
      compute();
      bring_back();
    } else {
      kernels.push_back(compute);
      copies_back.push_back(bring_back);
    }
  }
  for (const step& run : kernels) run();
  for (const step& run : copies_back) run();

  cudaDeviceSynchronize();
}
