// File: queues.cuh. How many hardware queues streams share: work of one stream is held at a gate, and it is
// counted which other streams' work waits behind it although nothing asks it to. Not here: how long anything
// takes. Example: measure::queues();
#pragma once

#include <functional>

#include "gate.cuh"

namespace measure {

/// Holds stream 0 with work behind the gate, enqueues work in 64 further streams, and prints how many of
/// those were held too and the first of them (64 when none is).
inline void held_streams(const char* key, const std::function<void(cudaStream_t)>& work) {
  constexpr int count = 64;
  constexpr double patience_ns = 50e6;
  std::vector<cudaStream_t> streams(count);
  for (cudaStream_t& stream : streams) CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaStream_t stream : streams) work(stream);
  CHECKED(cudaDeviceSynchronize());

  gate holding;
  holding.close(streams[0]);
  work(streams[0]);
  for (int i = 1; i < count; ++i) work(streams[i]);
  for (const double begin = now_ns(); now_ns() - begin < patience_ns;) continue;
  int held = 0, first = count;
  for (int i = 1; i < count; ++i) {
    const cudaError_t status = cudaStreamQuery(streams[i]);
    if (status == cudaErrorNotReady) {
      ++held;
      first = std::min(first, i);
    } else {
      CHECKED(status);
    }
  }
  holding.open();
  CHECKED(cudaDeviceSynchronize());
  report(std::string("queues.") + key + ".held_of_63", held, "streams", 1);
  report(std::string("queues.") + key + ".first_held", first, "stream", 1);
  for (cudaStream_t stream : streams) CHECKED(cudaStreamDestroy(stream));
}

/// Prints which streams share a queue, for kernels and for copies.
inline void queues() {
  constexpr std::size_t bytes = 64 << 10;
  char* const pinned = noted_by_device<char>(bytes);
  char* const memory = on_device<char>(bytes);
  held_streams("kernel", [](cudaStream_t stream) { nothing<<<1, 32, 0, stream>>>(); });
  held_streams("h2d", [&](cudaStream_t stream) {
    CHECKED(cudaMemcpyAsync(memory, pinned, bytes, cudaMemcpyHostToDevice, stream));
  });
  held_streams("d2h", [&](cudaStream_t stream) {
    CHECKED(cudaMemcpyAsync(pinned, memory, bytes, cudaMemcpyDeviceToHost, stream));
  });
  CHECKED(cudaFree(memory));
  CHECKED(cudaFreeHost(pinned));
}

}  // namespace measure
