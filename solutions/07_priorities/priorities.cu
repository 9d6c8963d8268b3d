// Lesson 07: priorities. README.md explains the idea, priorities.h says what you are given.
#include "priorities.h"

void serve(const service& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t request_bytes = static_cast<std::size_t>(work.request_elements) * sizeof(float);
  cudaStream_t background;
  cudaStream_t urgent;

  // TODO 1, done: the range differs from device to device, and the lower number is the more urgent one.
  // Without cudaStreamNonBlocking the event that next_request() records in the default stream would wait for
  // the background, and the urgent stream for that event.
  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&background, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);
  // end of TODO 1

  cudaMemcpyAsync(work.device_input, work.input, bytes, cudaMemcpyHostToDevice, background);
  // TODO 2, done: a block that runs is never interrupted. With one tile a block, blocks end all the time, and
  // the place of each goes to the most urgent block that waits.
  const int blocks = work.tiles;
  // end of TODO 2
  process_tiles<<<blocks, tile_threads, 0, background>>>(work.device_input, work.device_output, work.elements,
                                                         work.tile_elements, 0, work.tiles, work.tile_cycles);
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);

  for (int r = 0; r < work.requests; ++r) {
    const float* question = work.questions + static_cast<std::size_t>(r) * work.request_elements;
    float* reply = work.replies + static_cast<std::size_t>(r) * work.request_elements;
    work.next_request(r);

    // TODO 3, done: everything that belongs to the request is in the urgent stream, and the host waits for
    // that stream alone: the background goes on.
    cudaMemcpyAsync(work.device_question, question, request_bytes, cudaMemcpyHostToDevice, urgent);
    answer<<<answer_blocks, answer_threads, 0, urgent>>>(work.device_question, work.device_reply,
                                                         work.request_elements, work.answer_cycles);
    cudaMemcpyAsync(reply, work.device_reply, request_bytes, cudaMemcpyDeviceToHost, urgent);
    cudaStreamSynchronize(urgent);
    // end of TODO 3

    work.send_reply(r);
  }

  cudaStreamSynchronize(background);
  cudaStreamDestroy(background);
  cudaStreamDestroy(urgent);
}
