// A stream is destroyed while its kernel runs. Who waits?
#include <chrono>

#include "show.h"

int main() {
  const show::device_memory device(1);
  cudaStream_t mine = nullptr;
  CHECK(cudaStreamCreate(&mine));
  show::work<<<1, 32, 0, mine>>>(device, 1, show::cycles_of(500));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(cudaStreamDestroy(mine));
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  std::printf("cudaStreamDestroy returned after %.1f us; the kernel takes 500\n", taken.count());
  CHECK(cudaDeviceSynchronize());
  return taken.count() < 100 ? 0 : 1;
}
