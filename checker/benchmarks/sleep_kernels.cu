// Kernels that do nothing but wait for the clock, in the ways that published samples write them.
//
//     ./streamlings run checker/benchmarks/sleep_kernels.cu -- difference 256000 2048 1024
//
// Arguments: the way, the cycles, blocks, threads of a block, and how many launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_runtime.h"

__global__ void difference(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void offset(long long cycles, clock_t* last) {
  const clock_t begin = clock();
  clock_t waited = 0;
  while (waited < cycles) waited = clock() - begin;
  if (last != nullptr) *last = waited;
}

__global__ void added_up(long long cycles, long long* last) {
  long long waited = 0;
  long long before = clock64();
  do {
    const long long now = clock64();
    waited += now - before;
    before = now;
  } while (waited < cycles);
  if (last != nullptr) *last = waited;
}

__global__ void wraps_around(unsigned int cycles) {
  const unsigned int begin = static_cast<unsigned int>(clock());
  for (;;) {
    const unsigned int now = static_cast<unsigned int>(clock());
    const unsigned int waited = now > begin ? now - begin : now + (0xffffffffu - begin);
    if (waited >= cycles) break;
  }
}

int main(int count, char** arguments) {
  const char* const way = count > 1 ? arguments[1] : "difference";
  const long long cycles = count > 2 ? std::atoll(arguments[2]) : 256'000;
  const int blocks = count > 3 ? std::atoi(arguments[3]) : 1024;
  const int threads = count > 4 ? std::atoi(arguments[4]) : 256;
  const int launches = count > 5 ? std::atoi(arguments[5]) : 1;
  long long* last = nullptr;
  cudaMalloc(&last, sizeof *last);
  for (int i = 0; i < launches; ++i) {
    if (std::strcmp(way, "difference") == 0) difference<<<blocks, threads>>>(cycles);
    if (std::strcmp(way, "offset") == 0) offset<<<blocks, threads>>>(cycles, nullptr);
    if (std::strcmp(way, "added_up") == 0) added_up<<<blocks, threads>>>(cycles, nullptr);
    if (std::strcmp(way, "wraps_around") == 0) wraps_around<<<blocks, threads>>>(static_cast<unsigned int>(cycles));
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
