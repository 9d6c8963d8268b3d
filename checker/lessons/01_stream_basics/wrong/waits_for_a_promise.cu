// fails: HostQueuesAllWorkBeforeWaiting
// where: 25 cause: host_waits_early
// on a GPU: HostQueuesAllWorkBeforeWaiting
// Behind the first step the host waits for a promise, which a host function in a stream keeps.
// What a host function lets another thread do is not recorded on a GPU.
#include <future>

#include "stream_basics.h"

static void CUDART_CB tell(void* p) { static_cast<std::promise<void>*>(p)->set_value(); }

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
    }
    if (step == 0) {
      std::promise<void> there;
      cudaLaunchHostFunc(streams[3], tell, &there);
      there.get_future().wait();
    }
  }
  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  for (cudaStream_t& stream : streams) cudaStreamDestroy(stream);
  return error;
}
