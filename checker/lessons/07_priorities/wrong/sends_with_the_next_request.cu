// fails: RequestsAreAnsweredInTime
// where: 23 cause: late_end
// A reply that is done is sent only when the next request has arrived.
#include "priorities.h"

void serve(const service& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t request_bytes = static_cast<std::size_t>(work.request_elements) * sizeof(float);
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t background, urgent;
  cudaStreamCreateWithPriority(&background, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);

  cudaMemcpyAsync(work.device_input, work.input, bytes, cudaMemcpyHostToDevice, background);
  process_tiles<<<work.tiles, tile_threads, 0, background>>>(work.device_input, work.device_output, work.elements,
                                                             work.tile_elements, 0, work.tiles, work.tile_cycles);
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);

  for (int r = 0; r < work.requests; ++r) {
    const std::size_t first = static_cast<std::size_t>(r) * work.request_elements;
    work.next_request(r);
    if (r > 0) work.send_reply(r - 1);
    cudaMemcpyAsync(work.device_question, work.questions + first, request_bytes, cudaMemcpyHostToDevice, urgent);
    answer<<<answer_blocks, answer_threads, 0, urgent>>>(work.device_question, work.device_reply,
                                                         work.request_elements, work.answer_cycles);
    cudaMemcpyAsync(work.replies + first, work.device_reply, request_bytes, cudaMemcpyDeviceToHost, urgent);
    cudaStreamSynchronize(urgent);
  }
  work.send_reply(work.requests - 1);
  cudaStreamSynchronize(background);
  cudaStreamDestroy(urgent);
  cudaStreamDestroy(background);
}
