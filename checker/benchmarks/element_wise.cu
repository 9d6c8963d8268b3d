// One float read and one written by each thread: what observing accesses costs.
//
//     ./streamlings run checker/benchmarks/element_wise.cu -- 1000000 20
//
// Arguments: the elements, and how many launches.
#include <cstdio>
#include <cstdlib>

#include "cuda_runtime.h"

__global__ void scale(const float* in, float* out, int elements) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) out[i] = 3.0f * in[i] + 1.0f;
}

int main(int count, char** arguments) {
  const int elements = count > 1 ? std::atoi(arguments[1]) : 1'000'000;
  const int launches = count > 2 ? std::atoi(arguments[2]) : 1;
  float* in = nullptr;
  float* out = nullptr;
  cudaMalloc(&in, elements * sizeof(float));
  cudaMalloc(&out, elements * sizeof(float));
  cudaMemset(in, 0, elements * sizeof(float));
  for (int i = 0; i < launches; ++i) scale<<<(elements + 255) / 256, 256>>>(in, out, elements);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
