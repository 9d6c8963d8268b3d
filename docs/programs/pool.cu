// Memory from the pool in each of four rounds, with a wait of the host behind each. An argument lets the pool keep it.
#include <cstdint>

#include "show.h"

int main(int count, char**) {
  constexpr int elements = 1 << 16;
  const long long cycles = show::cycles_of(60);
  const show::stream one;
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t kept = count > 1 ? UINT64_MAX : 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));

  for (int round = 0; round < 4; ++round) {
    float* memory = nullptr;
    CHECK(cudaMallocAsync(&memory, elements * sizeof(float), one));
    CHECK(cudaMemsetAsync(memory, 0, elements * sizeof(float), one));
    show::work<<<4, 256, 0, one>>>(memory, elements, cycles);
    CHECK(cudaFreeAsync(memory, one));
    CHECK(cudaStreamSynchronize(one));
    std::uint64_t reserved = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    std::printf("round %d: %llu MiB stay in the pool\n", round, static_cast<unsigned long long>(reserved >> 20));
  }
}
