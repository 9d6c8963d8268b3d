// A host function of 400 us between two kernels of one stream; a kernel follows in another stream.
#include <chrono>

#include "show.h"

static void report(void*) { host_work(std::chrono::microseconds(400)); }

int main() {
  const show::device_memory device(3);
  const show::stream mine;
  const show::stream other;
  const long long cycles = show::cycles_of(200);
  show::work<<<1, 1, 0, mine>>>(device, 1, cycles);
  CHECK(cudaLaunchHostFunc(mine, report, nullptr));
  show::work<<<1, 1, 0, mine>>>(device + 1, 1, cycles);
  show::work<<<1, 1, 0, other>>>(device + 2, 1, cycles);
  CHECK(cudaDeviceSynchronize());
}
