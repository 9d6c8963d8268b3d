// What streamlings_test.cpp runs: test_program WHAT.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

constexpr std::size_t bytes = std::size_t{4} << 20;

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
__global__ void fill(char* data) { data[threadIdx.x] = 1; }

int main(int, char** arguments) {
  const std::string request = arguments[1];
  if (request == "leaves_at_once") _exit(0);
  if (request == "counts_devices") {
    int devices = 0;
    cudaGetDeviceCount(&devices);
    std::printf("%d\n", devices);
    return 0;
  }
  char *host, *device;
  cudaMallocHost(&host, bytes);
  cudaMalloc(&device, bytes);
  cudaStream_t copying, computing;
  cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking);
  cudaEvent_t copied;
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);

  const cudaStream_t kernels = request == "one_stream" ? copying : computing;
  const auto copy = [&](cudaMemcpyKind kind) {
    const bool is_up = kind == cudaMemcpyHostToDevice;
    cudaMemcpyAsync(is_up ? device : host, is_up ? host : device, bytes, kind, copying);
  };
  copy(cudaMemcpyHostToDevice);
  if (request == "event_between") {
    cudaEventRecord(copied, copying);
    cudaStreamWaitEvent(kernels, copied, 0);
  }
  spin<<<1, 32, 0, kernels>>>(500'000);
  if (request == "host_sleeps_between") {
    cudaDeviceSynchronize();
    timespec pause{0, 50'000'000};
    nanosleep(&pause, nullptr);
  }
  if (request == "reads_too_early") fill<<<1, 32, 0, kernels>>>(device);
  spin<<<1, 32, 0, kernels>>>(500'000);
  copy(cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();

  if (request == "crashes") *reinterpret_cast<volatile int*>(8) = 1;
  if (request == "leaks") return 0;
  cudaEventDestroy(copied);
  cudaStreamDestroy(copying);
  cudaStreamDestroy(computing);
  cudaFree(device);
  cudaFreeHost(host);
  std::printf("printed\n");
  return request == "exits_with_3" ? 3 : 0;
}
