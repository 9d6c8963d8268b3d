// One stream splits into two and comes together again, and the host waits for none of it.
#include "show.h"

int main() {
  constexpr int count = 1 << 16;
  const show::device_memory device(2 * count);
  const show::stream left;
  const show::stream right;
  const show::event forked;
  const show::event joined;
  const long long cycles = show::cycles_of(200);

  show::work<<<4, 256, 0, left>>>(device, 2 * count, cycles);
  CHECK(cudaEventRecord(forked, left));
  CHECK(cudaStreamWaitEvent(right, forked, 0));
  show::work<<<4, 256, 0, left>>>(device, count, cycles);
  show::work<<<4, 256, 0, right>>>(device + count, count, cycles);
  CHECK(cudaEventRecord(joined, right));
  CHECK(cudaStreamWaitEvent(left, joined, 0));
  show::work<<<4, 256, 0, left>>>(device, 2 * count, cycles);
  CHECK(cudaDeviceSynchronize());
}
