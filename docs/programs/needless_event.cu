// A copy and a kernel that reads what it brings, in one stream: with an event between them, and without.
#include "show.h"

int main() {
  constexpr int count = 1 << 19;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::pinned_memory host(count);
  const show::device_memory device(count);
  const show::stream mine;
  const show::event copied;
  const show::event begin;
  const show::event end;
  show::work<<<4, 256, 0, mine>>>(device, 0, 0);  // the first launch of a kernel costs more
  for (const bool has_event : {true, false}) {
    for (int i = 0; i < count; ++i) host[i] = 1.0f;
    CHECK(cudaEventRecord(begin, mine));
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, mine));
    if (has_event) {
      CHECK(cudaEventRecord(copied, mine));
      CHECK(cudaStreamWaitEvent(mine, copied, 0));
    }
    show::work<<<4, 256, 0, mine>>>(device, count, show::cycles_of(200));
    CHECK(cudaEventRecord(end, mine));
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, mine));
    CHECK(cudaStreamSynchronize(mine));
    std::printf("%-16s %6.1f us, the last element is %g\n", has_event ? "with an event" : "without",
                1000 * show::milliseconds_between(begin, end), host[count - 1]);
  }
}
