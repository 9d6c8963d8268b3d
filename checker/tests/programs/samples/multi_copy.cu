// After the sample simpleMultiCopy: how much is gained by overlapping copies and kernels in streams, against
// the limits that the times of the single steps allow.
#include "check.h"

constexpr int streams = 4;
constexpr int rounds = 6;
constexpr int inner = 5;
constexpr size_t elements = 1 << 20;
constexpr size_t bytes = elements * sizeof(int);

__global__ void increase(int* out, const int* in, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int value = in[i];
  for (int repeat = 0; repeat < inner; ++repeat) ++value;
  out[i] = value;
}

int *host_in[streams], *host_out[streams], *device_in[streams], *device_out[streams];
cudaStream_t stream[streams];
cudaEvent_t begin, end, done[streams];

template <typename Work>
float time_of(Work work) {
  float milliseconds = 0;
  CUDA(cudaEventRecord(begin, 0));
  work();
  CUDA(cudaEventRecord(end, 0));
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

void launch(int slot, cudaStream_t target) {
  increase<<<elements / 512, 512, 0, target>>>(device_out[slot], device_in[slot], elements);
}

// Copy in for the next round, kernel of this one, copy out of the last: each in a stream of its own turn.
void pipeline(int used) {
  for (int round = 0, current = 0; round < rounds; ++round) {
    const int next = (current + 1) % used;
    CUDA(cudaEventSynchronize(done[next]));
    launch(current, stream[current]);
    CUDA(cudaMemcpyAsync(device_in[next], host_in[next], bytes, cudaMemcpyHostToDevice, stream[next]));
    CUDA(cudaMemcpyAsync(host_out[current], device_out[current], bytes, cudaMemcpyDeviceToHost,
                         stream[current]));
    CUDA(cudaEventRecord(done[current], stream[current]));
    current = next;
  }
  CUDA(cudaDeviceSynchronize());
}

int main() {
  cudaDeviceProp device;
  CUDA(cudaGetDeviceProperties(&device, 0));
  std::printf("%s: %d copy engines\n", device.name, device.asyncEngineCount);
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int i = 0; i < streams; ++i) {
    CUDA(cudaHostAlloc(&host_in[i], bytes, cudaHostAllocDefault));
    CUDA(cudaHostAlloc(&host_out[i], bytes, cudaHostAllocDefault));
    CUDA(cudaMalloc(&device_in[i], bytes));
    CUDA(cudaMalloc(&device_out[i], bytes));
    CUDA(cudaStreamCreate(&stream[i]));
    CUDA(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    for (size_t k = 0; k < elements; ++k) host_in[i][k] = static_cast<int>(k % 1000);
    CUDA(cudaMemcpy(device_in[i], host_in[i], bytes, cudaMemcpyHostToDevice));
  }
  launch(0, 0);  // the first launch is slow

  const float in =
      time_of([] { CUDA(cudaMemcpyAsync(device_in[0], host_in[0], bytes, cudaMemcpyHostToDevice, 0)); });
  const float out =
      time_of([] { CUDA(cudaMemcpyAsync(host_out[0], device_out[0], bytes, cudaMemcpyDeviceToHost, 0)); });
  const float kernel = time_of([] { launch(0, 0); });
  const float serial_limit = in + out + kernel;
  const float longer_copy = in > out ? in : out;
  const float engines_limit = device.asyncEngineCount > 1 ? longer_copy : in + out;
  const float overlap_limit = engines_limit > kernel ? engines_limit : kernel;
  std::printf("copy in %.3f ms, copy out %.3f ms, kernel %.3f ms\n", in, out, kernel);
  std::printf("limits a round: serial %.3f ms, overlapped %.3f ms\n", serial_limit, overlap_limit);

  const float serial = time_of([] { pipeline(1); }) / rounds;
  const float overlapped = time_of([] { pipeline(streams); }) / rounds;
  std::printf("measured a round: serial %.3f ms, overlapped %.3f ms, %.2f times as fast\n", serial,
              overlapped, serial / overlapped);

  bool is_right = true;
  for (int i = 0; i < streams; ++i) {
    for (size_t k = 0; k < elements; ++k) is_right = is_right && host_out[i][k] == host_in[i][k] + inner;
  }
  return claim(is_right, "every element was increased") +
         claim(serial > 0.95f * serial_limit, "one stream does one thing at a time") +
         claim(overlapped < 0.7f * serial, "four streams take less than 0.7 of the time of one") +
         claim(overlapped > 0.95f * overlap_limit, "no pipeline is faster than its slowest engine");
}
