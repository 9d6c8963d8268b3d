// Lesson 04: many streams. README.md explains the idea, multi_stream.h says what you are given.
#include "multi_stream.h"

plan make_plan(int device) {
  // TODO 1: ask the device for its copy engines; choose chunks, streams and the order (about 4 lines)
  return {0, 1, 1, issue_order::depth_first};
  // end of TODO 1
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  // TODO 2: chunks that cover every element; the last one may be shorter (about 3 lines)
  const int length = work.elements / chosen.chunks;
  return {index * length, length};
  // end of TODO 2
}

// TODO 3: queue each step of one chunk in its stream, and wait for none of them (about 4 lines)
static void copy_inputs(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpy(work.device_left + part.first, work.left + part.first, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_right + part.first, work.right + part.first, bytes, cudaMemcpyHostToDevice);
}

static void add_chunk(const vectors& work, const chunk& part, cudaStream_t stream) {
  add<<<blocks, threads_per_block>>>(work.device_left + part.first, work.device_right + part.first,
                                     work.device_sum + part.first, part.first, part.elements, work.cycles);
}

static void copy_sum(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpy(work.sum + part.first, work.device_sum + part.first, bytes, cudaMemcpyDeviceToHost);
}
// end of TODO 3

void add_in_chunks(const vectors& work, const plan& chosen) {
  // TODO 4: let the streams take turns, queue in the order of the plan, and wait at the end (about 15 lines)
  for (int index = 0; index < chosen.chunks; ++index) {
    const chunk part = chunk_at(work, chosen, index);
    copy_inputs(work, part, work.streams[0]);
    add_chunk(work, part, work.streams[0]);
    copy_sum(work, part, work.streams[0]);
  }
  // end of TODO 4
}
