// Doubles a million numbers in chunks: while one chunk is computed, others are copied.
#include <cstdio>

constexpr int chunks = 8;
constexpr int streams = 4;
constexpr int elements = 1 << 20;
constexpr int chunk = elements / chunks;

__global__ void twice(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 160; ++step) data[i] = data[i] * 1.5f - data[i] * 0.5f;
  data[i] *= 2;
}

int main() {
  float *host, *device;
  cudaMallocHost(&host, elements * sizeof(float));
  cudaMalloc(&device, elements * sizeof(float));
  for (int i = 0; i < elements; ++i) host[i] = static_cast<float>(i);

  cudaStream_t stream[streams];
  for (cudaStream_t& each : stream) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  for (int i = 0; i < chunks; ++i) {
    const cudaStream_t own = stream[i % streams];
#ifdef COPIES_BACK_TOO_EARLY
    const cudaStream_t back = stream[(i + 1) % streams];
#else
    const cudaStream_t back = own;
#endif
    cudaMemcpyAsync(device + i * chunk, host + i * chunk, chunk * sizeof(float), cudaMemcpyHostToDevice, own);
    twice<<<chunk / 256, 256, 0, own>>>(device + i * chunk);
    cudaMemcpyAsync(host + i * chunk, device + i * chunk, chunk * sizeof(float), cudaMemcpyDeviceToHost, back);
  }
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int i = 0; i < elements; ++i) wrong += host[i] != 2 * static_cast<float>(i);
  for (cudaStream_t each : stream) cudaStreamDestroy(each);
  cudaFree(device);
  cudaFreeHost(host);
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
