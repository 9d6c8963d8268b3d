// Four things asked of a GPU that is busy with a kernel of 300 us: how long does each call keep the host?
#include <chrono>

#include "show.h"

template <typename Call>
static void time_behind_kernel(const char* what, Call call) {
  show::work<<<1, 32>>>(nullptr, 0, show::cycles_of(300));
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  CHECK(cudaDeviceSynchronize());
  std::printf("%-32s %6.1f us\n", what, took.count());
}

int main() {
  constexpr int count = 1 << 18;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::pinned_memory host(count);
  const show::device_memory one(count);
  const show::device_memory other(count);
  show::work<<<1, 32>>>(nullptr, 0, 0);  // the first launch of a kernel costs more
  CHECK(cudaDeviceSynchronize());
  time_behind_kernel("a launch", [] { show::work<<<1, 32>>>(nullptr, 0, 0); });
  time_behind_kernel("cudaMemcpy inside the device",
                     [&] { CHECK(cudaMemcpy(other, one, bytes, cudaMemcpyDeviceToDevice)); });
  time_behind_kernel("cudaMemcpy to the device",
                     [&] { CHECK(cudaMemcpy(one, host, bytes, cudaMemcpyHostToDevice)); });
  time_behind_kernel("cudaMemcpy to the host",
                     [&] { CHECK(cudaMemcpy(host, one, bytes, cudaMemcpyDeviceToHost)); });
}
