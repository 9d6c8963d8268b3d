// cause: event_recorded_late gpu: teaching
// Both kernels need the copy; the event is recorded behind the first kernel, which the second does not need.
#include "planted/chunks.h"

int main() {
  const chunked_array work(2, 4 * 1024);
  const stream_set streams(2);
  cudaEvent_t copied;
  CHECKED(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  work.copy_in(0, streams[0]);
#ifdef CURED
  CHECKED(cudaEventRecord(copied, streams[0]));
#endif
  work.compute(0, 100'000, streams[0]);
#ifndef CURED
  CHECKED(cudaEventRecord(copied, streams[0]));
#endif
  CHECKED(cudaStreamWaitEvent(streams[1], copied, 0));
  add_one<<<work.blocks(), threads_per_block, 0, streams[1]>>>(work.device_in, work.device_out + work.at(1),
                                                              work.elements, 100'000);
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaEventDestroy(copied));
}
