#include "scale.h"

__global__ void scale_part(float* values, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

void scale(float* values, int count, float factor) {
  constexpr int streams = 2;
  const int part = (count + streams - 1) / streams;
  float* on_device = nullptr;
  cudaMalloc(&on_device, count * sizeof(float));
  cudaHostRegister(values, count * sizeof(float), cudaHostRegisterDefault);
  cudaStream_t all[streams];
  for (int s = 0; s < streams; ++s) {
    cudaStreamCreate(&all[s]);
    const int begin = s * part;
    const int length = begin + part < count ? part : count - begin;
    cudaMemcpyAsync(on_device + begin, values + begin, length * sizeof(float), cudaMemcpyHostToDevice, all[s]);
    scale_part<<<(length + 255) / 256, 256, 0, all[s]>>>(on_device + begin, length, factor);
    cudaMemcpyAsync(values + begin, on_device + begin, length * sizeof(float), cudaMemcpyDeviceToHost, all[s]);
  }
  for (cudaStream_t stream : all) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  cudaHostUnregister(values);
  cudaFree(on_device);
}
