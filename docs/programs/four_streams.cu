// Copy in, compute, copy out, all three equally long: in one stream, then in four chunks in four streams.
#include <chrono>

#include "show.h"

constexpr int count = 1 << 20;
constexpr int most_chunks = 4;

int main() {
  const show::pinned_memory host(count);
  const show::device_memory device(count);
  const show::stream streams[most_chunks];
  // As many blocks as the GPU has room for: kernels take turns, so that each stage has one engine.
  int multiprocessors = 0;
  int threads = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  const int blocks = multiprocessors * threads / 256;
  show::work<<<blocks, 256, 0, streams[0]>>>(device, 0, 0);  // the first launch of a kernel costs more

  // The kernel is to take as long as the copy.
  const show::event begin;
  const show::event end;
  CHECK(cudaEventRecord(begin, streams[0]));
  CHECK(cudaMemcpyAsync(device, host, count * sizeof(float), cudaMemcpyHostToDevice, streams[0]));
  CHECK(cudaEventRecord(end, streams[0]));
  CHECK(cudaDeviceSynchronize());
  const long long cycles = show::cycles_of(static_cast<int>(1000 * show::milliseconds_between(begin, end)));

  const auto run = [&](int chunks) {
    const int size = count / chunks;
    const std::size_t bytes = size * sizeof(float);
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < chunks; ++i) {
      float* const there = device + i * size;
      float* const here = host + i * size;
      CHECK(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, streams[i]));
      show::work<<<blocks, 256, 0, streams[i]>>>(there, 0, cycles / chunks);
      CHECK(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
    return took.count();
  };
  const double in_one = run(1);
  const double in_four = run(most_chunks);
  std::printf("one stream %.3f ms, four streams %.3f ms: %.2f times as fast\n", in_one, in_four,
              in_one / in_four);
}
