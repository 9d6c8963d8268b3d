// Lesson 07: priorities. README.md explains the idea, priorities.h says what you are given.
#include "priorities.h"

void serve(const service& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t request_bytes = static_cast<std::size_t>(work.request_elements) * sizeof(float);
  cudaStream_t background;
  cudaStream_t urgent;

  // TODO 1: give the urgent stream the greatest priority of this device, the background the least, and let
  // neither wait for the default stream (about 5 lines)
  cudaStreamCreate(&background);
  cudaStreamCreate(&urgent);
  // end of TODO 1

  cudaMemcpyAsync(work.device_input, work.input, bytes, cudaMemcpyHostToDevice, background);
  // TODO 2: as many blocks as let an urgent block find a place soon (1 line)
  const int blocks = work.resident_blocks;
  // end of TODO 2
  process_tiles<<<blocks, tile_threads, 0, background>>>(work.device_input, work.device_output, work.elements,
                                                         work.tile_elements, 0, work.tiles, work.tile_cycles);
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);

  for (int r = 0; r < work.requests; ++r) {
    const float* question = work.questions + static_cast<std::size_t>(r) * work.request_elements;
    float* reply = work.replies + static_cast<std::size_t>(r) * work.request_elements;
    work.next_request(r);

    // TODO 3: answer in the urgent stream, and wait for nothing but that (about 4 lines)
    cudaMemcpy(work.device_question, question, request_bytes, cudaMemcpyHostToDevice);
    answer<<<answer_blocks, answer_threads>>>(work.device_question, work.device_reply, work.request_elements,
                                              work.answer_cycles);
    cudaMemcpy(reply, work.device_reply, request_bytes, cudaMemcpyDeviceToHost);
    // end of TODO 3

    work.send_reply(r);
  }

  cudaStreamSynchronize(background);
  cudaStreamDestroy(background);
  cudaStreamDestroy(urgent);
}
