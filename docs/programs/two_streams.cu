// Two chains of copy, kernel, copy back. Each stream keeps its order; the two have none between them.
#include "show.h"

int main() {
  constexpr int count = 1 << 19;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::pinned_memory host(2 * count);
  const show::device_memory device(2 * count);
  const long long cycles = show::cycles_of(220);
  for (int chain = 0; chain < 2; ++chain) {
    const show::stream mine;
    float* const here = device + chain * count;
    float* const there = host + chain * count;
    CHECK(cudaMemcpyAsync(here, there, bytes, cudaMemcpyHostToDevice, mine));
    show::work<<<4, 256, 0, mine>>>(here, count, cycles);
    CHECK(cudaMemcpyAsync(there, here, bytes, cudaMemcpyDeviceToHost, mine));
  }
  CHECK(cudaDeviceSynchronize());
  return host[0] == 1.0f && host[2 * count - 1] == 1.0f ? 0 : 1;
}
