// One kernel on one number: the smallest recording.
#include <cuda_runtime.h>

__global__ void store(int* to) { *to = 1; }

int main() {
  int* device = nullptr;
  cudaMalloc(&device, sizeof(int));
  store<<<1, 1>>>(device);
  cudaDeviceSynchronize();
  return cudaFree(device) == cudaSuccess ? 0 : 1;
}
