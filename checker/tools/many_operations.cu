// many_operations.cu: a stream program of a chosen number of operations: four streams, each a pipeline of copies in,
// kernels and copies out, with an event from stream to stream.
//     many_operations [OPERATIONS, 10000 by default]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) check((call), __LINE__)

constexpr int stream_count = 4;
constexpr int elements = 64;
constexpr size_t bytes = elements * sizeof(int);

__global__ void increment(int* data) { data[threadIdx.x] += 1; }

int main(int count, char** arguments) {
  const long operations = count > 1 ? std::atol(arguments[1]) : 10'000;
  cudaStream_t streams[stream_count];
  cudaEvent_t events[stream_count];
  int *host = nullptr, *device = nullptr;
  CHECKED(cudaMallocHost(&host, stream_count * bytes));
  CHECKED(cudaMalloc(&device, stream_count * bytes));
  std::memset(host, 0, stream_count * bytes);
  for (int i = 0; i < stream_count; ++i) {
    CHECKED(cudaStreamCreate(&streams[i]));
    CHECKED(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
  }
  constexpr int each_round = 5;
  for (long round = 0; round < operations / each_round; ++round) {
    const int i = round % stream_count;
    const int next = (i + 1) % stream_count;
    CHECKED(cudaMemcpyAsync(device + i * elements, host + i * elements, bytes, cudaMemcpyHostToDevice, streams[i]));
    increment<<<1, elements, 0, streams[i]>>>(device + i * elements);
    CHECKED(cudaMemcpyAsync(host + i * elements, device + i * elements, bytes, cudaMemcpyDeviceToHost, streams[i]));
    CHECKED(cudaEventRecord(events[i], streams[i]));
    CHECKED(cudaStreamWaitEvent(streams[next], events[i], 0));
  }
  CHECKED(cudaDeviceSynchronize());
  long sum = 0;
  for (int i = 0; i < stream_count * elements; ++i) sum += host[i];
  std::printf("%ld operations, sum %ld\n", operations / each_round * each_round, sum);
  return sum == operations / each_round * elements ? 0 : 1;
}
