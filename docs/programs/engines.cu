// Four operations in four streams, all independent: two copies to the device, one back, one kernel.
#include "show.h"

int main() {
  constexpr int count = 1 << 18;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::pinned_memory host(3 * count);
  const show::device_memory device(4 * count);
  const show::stream streams[4];
  CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[0]));
  CHECK(cudaMemcpyAsync(device + count, host + count, bytes, cudaMemcpyHostToDevice, streams[1]));
  CHECK(cudaMemcpyAsync(host + 2 * count, device + 2 * count, bytes, cudaMemcpyDeviceToHost, streams[2]));
  show::work<<<4, 256, 0, streams[3]>>>(device + 3 * count, count, show::cycles_of(110));
  CHECK(cudaDeviceSynchronize());
}
