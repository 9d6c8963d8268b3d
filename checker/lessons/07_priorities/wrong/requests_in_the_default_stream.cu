// fails: RequestsAreAnsweredInTime also: RequestsRunBesideTheBackground, AnswersHaveTheGreatestPriority
// where: 29 cause: legacy_default
// The background is in an ordinary stream, the requests are in the default stream, which waits for it.
#include "priorities.h"

void serve(const service& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t request_bytes = static_cast<std::size_t>(work.request_elements) * sizeof(float);
  cudaStream_t background;
  cudaStream_t urgent;

  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&background, cudaStreamDefault, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest);

  cudaMemcpyAsync(work.device_input, work.input, bytes, cudaMemcpyHostToDevice, background);
  const int blocks = work.tiles;
  process_tiles<<<blocks, tile_threads, 0, background>>>(work.device_input, work.device_output, work.elements,
                                                         work.tile_elements, 0, work.tiles, work.tile_cycles);
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);

  for (int r = 0; r < work.requests; ++r) {
    const float* question = work.questions + static_cast<std::size_t>(r) * work.request_elements;
    float* reply = work.replies + static_cast<std::size_t>(r) * work.request_elements;
    work.next_request(r);

    cudaMemcpyAsync(work.device_question, question, request_bytes, cudaMemcpyHostToDevice, 0);
    answer<<<answer_blocks, answer_threads, 0, 0>>>(work.device_question, work.device_reply,
                                                    work.request_elements, work.answer_cycles);
    cudaMemcpyAsync(reply, work.device_reply, request_bytes, cudaMemcpyDeviceToHost, 0);
    cudaStreamSynchronize(0);

    work.send_reply(r);
  }

  cudaStreamSynchronize(background);
  cudaStreamDestroy(background);
  cudaStreamDestroy(urgent);
}
