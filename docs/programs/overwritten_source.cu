// The host overwrites the source of a copy that is queued behind a kernel.
#include "show.h"

int main() {
  constexpr int count = 1 << 18;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::pinned_memory host(count);
  const show::device_memory device(count);
  const show::stream mine;
  for (int i = 0; i < count; ++i) host[i] = 1.0f;
  show::work<<<4, 256, 0, mine>>>(device, 0, show::cycles_of(300));
  CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, mine));
  for (int i = 0; i < count; ++i) host[i] = 2.0f;  // the copy has not begun
  CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, mine));
  CHECK(cudaStreamSynchronize(mine));
  std::printf("queued with 1, arrived as %g\n", host[0]);
}
