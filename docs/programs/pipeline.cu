// One array through the GPU in chunks: copy in, kernel, copy out.
//     pipeline CHUNKS [depth|breadth [MICROSECONDS]]      (depth; 400 us of kernel in all)
// Prints the time from the first call to the end of the last copy, in milliseconds.
#include <chrono>
#include <cstring>
#include <vector>

#include "show.h"

int main(int argument_count, char** arguments) {
  const int chunks = argument_count > 1 ? std::atoi(arguments[1]) : 4;
  const bool is_breadth_first = argument_count > 2 && std::strcmp(arguments[2], "breadth") == 0;
  const int microseconds = argument_count > 3 ? std::atoi(arguments[3]) : 400;
  constexpr int count = 1 << 20;
  const int chunk = count / chunks;
  const std::size_t bytes = static_cast<std::size_t>(chunk) * sizeof(float);
  const show::pinned_memory host(count);
  const show::device_memory device(count);
  const long long cycles = show::cycles_of(microseconds) / chunks;
  const std::vector<show::stream> streams(static_cast<std::size_t>(chunks));

  // As many blocks as the GPU has room for: one kernel at a time, so that the three stages have an engine
  // each.
  int multiprocessors = 0;
  int threads = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  const int blocks = multiprocessors * threads / 256;
  show::work<<<blocks, 256>>>(device, 0, 0);  // the first launch of a kernel costs more
  CHECK(cudaDeviceSynchronize());

  const auto copy_in = [&](int i) {
    CHECK(cudaMemcpyAsync(device + i * chunk, host + i * chunk, bytes, cudaMemcpyHostToDevice, streams[i]));
  };
  const auto compute = [&](int i) {
    show::work<<<blocks, 256, 0, streams[i]>>>(device + i * chunk, chunk, cycles);
  };
  const auto copy_out = [&](int i) {
    CHECK(cudaMemcpyAsync(host + i * chunk, device + i * chunk, bytes, cudaMemcpyDeviceToHost, streams[i]));
  };

  const auto begin = std::chrono::steady_clock::now();
  if (is_breadth_first) {
    for (int i = 0; i < chunks; ++i) copy_in(i);
    for (int i = 0; i < chunks; ++i) compute(i);
    for (int i = 0; i < chunks; ++i) copy_out(i);
  } else {
    for (int i = 0; i < chunks; ++i) {
      copy_in(i);
      compute(i);
      copy_out(i);
    }
  }
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  std::printf("%d chunks: %.3f ms\n", chunks, time.count());
  return host[0] == 1.0f && host[chunks * chunk - 1] == 1.0f ? 0 : 1;
}
