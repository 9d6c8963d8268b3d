// The wait comes before the record: it waits for nothing, and nobody says so.
#include "show.h"

int main() {
  constexpr int count = 1 << 16;
  const show::device_memory device(count);
  const show::stream writes;
  const show::stream reads;
  const show::event written;
  const long long cycles = show::cycles_of(300);

  CHECK(cudaStreamWaitEvent(reads, written, 0));  // cudaSuccess: the event holds no work yet
  show::work<<<4, 256, 0, writes>>>(device, count, cycles);
  CHECK(cudaEventRecord(written, writes));
  show::work<<<4, 256, 0, reads>>>(device, count, cycles);
  CHECK(cudaDeviceSynchronize());
}
