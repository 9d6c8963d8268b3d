// Kernels of two blocking streams, with a memset of other memory issued between them: without a stream, then
// in a stream of its own.
#include <chrono>

#include "show.h"

template <typename Memset>
static void time_pair(const char* what, Memset set) {
  const show::stream one(cudaStreamDefault);
  const show::stream other(cudaStreamDefault);
  const auto begin = std::chrono::steady_clock::now();
  show::work<<<1, 32, 0, one>>>(nullptr, 0, show::cycles_of(300));
  set();
  show::work<<<1, 32, 0, other>>>(nullptr, 0, show::cycles_of(300));
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::printf("two kernels of 300 us, between them %-34s %6.1f us\n", what, took.count());
}

int main() {
  constexpr std::size_t bytes = 4096;
  const show::device_memory device(bytes / sizeof(float));
  const show::stream own(cudaStreamDefault);
  show::work<<<1, 32>>>(nullptr, 0, 0);  // the first launch of a kernel costs more
  CHECK(cudaDeviceSynchronize());
  time_pair("cudaMemset:", [&] { CHECK(cudaMemset(device, 0, bytes)); });
  time_pair("cudaMemsetAsync in a third stream:", [&] { CHECK(cudaMemsetAsync(device, 0, bytes, own)); });
}
