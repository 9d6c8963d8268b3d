// fails: BackgroundIsNotHeldBack also: RequestsRunBesideTheBackground
// where: 37 cause: host_waits_early
// Cuts the background into slices and waits for each: the GPU is idle until the next request has come.
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
  const int slices = work.requests + 1;
  for (int slice = 0; slice < slices; ++slice) {
    const int first = work.tiles * slice / slices;
    const int end = work.tiles * (slice + 1) / slices;
    process_tiles<<<end - first, tile_threads, 0, background>>>(work.device_input, work.device_output,
                                                                work.elements, work.tile_elements, first, end,
                                                                work.tile_cycles);
    cudaStreamSynchronize(background);
    if (slice == work.requests) break;
    const int r = slice;
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
  cudaMemcpyAsync(work.output, work.device_output, bytes, cudaMemcpyDeviceToHost, background);
  cudaStreamSynchronize(background);
  cudaStreamDestroy(background);
  cudaStreamDestroy(urgent);
}
