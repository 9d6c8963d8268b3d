// launches_of_threads.cu: host threads take turns in the driver, so many of them launch no faster than one.
// Prints microseconds a launch by the host's clock, of one thread and of four with a stream each; on an H200
// (CUDA 13.0, driver 580) eight threads took 4.39 where one took 4.15. Exits with 0 when four gain less than
// a tenth.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

__global__ void nothing() {}

constexpr int launches = 400;

static void launch_in(cudaStream_t stream, int count) {
  for (int i = 0; i < count; ++i) nothing<<<1, 32, 0, stream>>>();
}

static double microseconds_a_launch(const std::vector<cudaStream_t>& streams, int thread_count) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(launch_in, streams[i], launches / thread_count);
  for (std::thread& host_thread : threads) host_thread.join();
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  cudaDeviceSynchronize();
  return taken.count() / launches;
}

int main() {
  std::vector<cudaStream_t> streams(4);
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  launch_in(streams[0], 1);  // the first launch of a kernel is slower
  cudaDeviceSynchronize();
  const double alone = microseconds_a_launch(streams, 1);
  const double together = microseconds_a_launch(streams, 4);
  std::printf("%.2f us a launch of one host thread, %.2f of four\n", alone, together);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return alone > 0 && together > 0.9 * alone ? 0 : 1;
}
