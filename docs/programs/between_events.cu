// The same kernel of 200 us between the same two events: alone on the GPU, then behind a kernel of another
// stream that leaves no room for it.
#include "show.h"

int main() {
  int multiprocessors = 0;
  int threads = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  const int full = multiprocessors * threads / 256;
  const show::stream mine;
  const show::stream other;
  const show::event begin;
  const show::event end;
  show::work<<<1, 256, 0, mine>>>(nullptr, 0, 0);  // the first launch of a kernel costs more
  CHECK(cudaDeviceSynchronize());
  for (const bool is_alone : {true, false}) {
    if (!is_alone) show::work<<<full, 256, 0, other>>>(nullptr, 0, show::cycles_of(300));
    CHECK(cudaEventRecord(begin, mine));
    show::work<<<4, 256, 0, mine>>>(nullptr, 0, show::cycles_of(200));
    CHECK(cudaEventRecord(end, mine));
    CHECK(cudaDeviceSynchronize());
    std::printf("%-30s %6.1f us between the events\n", is_alone ? "alone:" : "beside a kernel that fills it:",
                1000 * show::milliseconds_between(begin, end));
  }
}
