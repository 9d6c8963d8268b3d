// cudaMalloc and cudaFree between kernels of two streams: which of them keeps the kernels apart?
#include "show.h"

int main() {
  const show::device_memory device(4);
  const show::stream one;
  const show::stream other;
  const long long cycles = show::cycles_of(600);
  show::work<<<1, 32, 0, one>>>(device, 1, cycles);
  void* between = nullptr;
  CHECK(cudaMalloc(&between, 4096));
  show::work<<<1, 32, 0, other>>>(device + 1, 1, cycles);
  CHECK(cudaFree(between));  // waits for the whole device, here and on an H200
  show::work<<<1, 32, 0, one>>>(device + 2, 1, cycles);
  CHECK(cudaDeviceSynchronize());
}
