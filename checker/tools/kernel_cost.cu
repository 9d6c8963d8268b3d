// What it costs to run a kernel as C++ with all its accesses tracked: an element-wise kernel and one with a
// barrier.
//     kernel_cost THREADS [repetitions, 9 by default]
// Prints the threads and, for each kernel, the least milliseconds of processor time that one launch took.
#include <cuda_runtime.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

constexpr int block_size = 256;

__global__ void add(float* sum, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

__global__ void reverse_blocks(float* to, const float* from, int n) {
  __shared__ float tile[block_size];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) tile[threadIdx.x] = from[i];
  __syncthreads();
  const int j = blockIdx.x * blockDim.x + block_size - 1 - threadIdx.x;
  if (j < n) to[j] = tile[block_size - 1 - threadIdx.x];
}

__global__ void sum_warps(float* sums, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? from[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sums, sum);
}

static double processor_ms() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec * 1e3 + used.ru_utime.tv_usec / 1e3 + used.ru_stime.tv_sec * 1e3 +
         used.ru_stime.tv_usec / 1e3;
}

template <typename Launch>
double min_ms(int repetitions, Launch launch) {
  double fastest = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = processor_ms();
    launch();
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
    fastest = std::min(fastest, processor_ms() - begin);
  }
  return fastest;
}

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 1 << 20;
  const int repetitions = count > 2 ? std::atoi(arguments[2]) : 9;
  const int blocks = (n + block_size - 1) / block_size;
  float *a = nullptr, *b = nullptr, *sum = nullptr;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&sum, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  const double element_wise = min_ms(repetitions, [&] { add<<<blocks, block_size>>>(sum, a, b, n); });
  const double barrier = min_ms(repetitions, [&] { reverse_blocks<<<blocks, block_size>>>(sum, a, n); });
  const double shuffles = min_ms(repetitions, [&] { sum_warps<<<blocks, block_size>>>(sum, a, n); });
  std::printf("%10d %14.2f %14.2f %14.2f\n", n, element_wise, barrier, shuffles);
}
