// host_and_device_code.cu: __CUDA_ARCH__ is undefined in host code: each side has its own bodies, and each says its own line.
#include <cassert>
#include <cstdio>

#if __CUDA_ARCH__ < 600  // in host code too, where it counts as 0
__device__ double atomicAdd(double* address, double value) { return *address += value; }
#endif

__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}

template <typename Value>
struct holder {
  Value value;
  __host__ __device__ explicit holder(Value given) : value(given) {
#if defined(__CUDA_ARCH__)
    value += 10;
#else
    value += 20;
#endif
  }
};

int line_of_host() {
#ifdef __CUDA_ARCH__
  return -1;
#else
  return __LINE__;
#endif
}

__global__ void ask(int* answers) {
  answers[0] = side();
  answers[1] = holder<int>(0).value;
#if __CUDA_ARCH__ >= 700
  answers[2] = 1;
#endif
}

#ifndef __CUDA_ARCH__
int of_host_alone() { return 5; }
#endif

int main() {
  int* device;
  int answers[3];
  assert(cudaMalloc(&device, sizeof answers) == cudaSuccess);
  cudaMemset(device, 0, sizeof answers);
  ask<<<1, 1>>>(device);
  assert(cudaMemcpy(answers, device, sizeof answers, cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaFree(device);
  const bool is_right = answers[0] == 1 && answers[1] == 10 && answers[2] == 1 && side() == 2 && holder<int>(0).value == 20 &&
                        line_of_host() == 33 && of_host_alone() == 5;
  if (!is_right) std::printf("device %d %d %d, host %d %d line %d\n", answers[0], answers[1], answers[2], side(), holder<int>(0).value, line_of_host());
  return is_right ? 0 : 1;
}
