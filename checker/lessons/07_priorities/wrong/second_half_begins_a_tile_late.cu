// fails: EveryElementIsRight
// where: 20 cause: result_not_made
// Two launches, the second of which begins one tile too late: the report leads to both.
#include "priorities.h"

void serve(const service& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t request_bytes = static_cast<std::size_t>(work.request_elements) * sizeof(float);
  cudaStream_t background;
  cudaStream_t urgent;

  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&background, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);

  cudaMemcpyAsync(work.device_input, work.input, bytes, cudaMemcpyHostToDevice, background);
  const int half = work.tiles / 2;
  process_tiles<<<half, tile_threads, 0, background>>>(work.device_input, work.device_output, work.elements,
                                                       work.tile_elements, 0, half, work.tile_cycles);
  process_tiles<<<work.tiles - half, tile_threads, 0, background>>>(work.device_input, work.device_output,
                                                                    work.elements, work.tile_elements,
                                                                    half + 1, work.tiles, work.tile_cycles);
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);

  for (int r = 0; r < work.requests; ++r) {
    const float* question = work.questions + static_cast<std::size_t>(r) * work.request_elements;
    float* reply = work.replies + static_cast<std::size_t>(r) * work.request_elements;
    work.next_request(r);

    cudaMemcpyAsync(work.device_question, question, request_bytes, cudaMemcpyHostToDevice, urgent);
    answer<<<answer_blocks, answer_threads, 0, urgent>>>(work.device_question, work.device_reply,
                                                         work.request_elements, work.answer_cycles);
    cudaMemcpyAsync(reply, work.device_reply, request_bytes, cudaMemcpyDeviceToHost, urgent);
    cudaStreamSynchronize(urgent);

    work.send_reply(r);
  }

  cudaStreamSynchronize(background);
  cudaStreamDestroy(background);
  cudaStreamDestroy(urgent);
}
