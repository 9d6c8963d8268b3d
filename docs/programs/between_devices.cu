// A kernel of device 0, a copy to device 1, and a kernel there that waits for it: no wait of the host in between.
#include "show.h"

int main() {
  constexpr int count = 1 << 20;
  constexpr std::size_t bytes = count * sizeof(float);
  const long long cycles = show::cycles_of(200);
  CHECK(cudaSetDevice(1));
  const show::device_memory there(count);
  const show::stream second;
  CHECK(cudaSetDevice(0));
  const show::device_memory here(count);
  const show::stream first;
  const show::event sent;
  CHECK(cudaMemsetAsync(here, 0, bytes, first));
  CHECK(cudaStreamSynchronize(first));

  for (const bool with_access : {false, true}) {
    if (with_access) CHECK(cudaDeviceEnablePeerAccess(1, 0));
    show::work<<<4, 256, 0, first>>>(here, count, cycles);
    CHECK(cudaMemcpyPeerAsync(there, 1, here, 0, bytes, first));
    CHECK(cudaEventRecord(sent, first));
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamWaitEvent(second, sent, 0));
    show::work<<<4, 256, 0, second>>>(there, count, cycles);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
  }
}
