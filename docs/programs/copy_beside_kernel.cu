// A kernel, and a copy in another stream. The host wants to go on with work of its own.
//     copy_beside_kernel [pageable]      (pinned memory without it)
#include <chrono>
#include <cstring>
#include <vector>

#include "show.h"

int main(int argument_count, char** arguments) {
  const bool is_pageable = argument_count > 1 && std::strcmp(arguments[1], "pageable") == 0;
  constexpr int count = 1 << 19;
  constexpr std::size_t bytes = count * sizeof(float);
  std::vector<float> in_pages(count);
  const show::pinned_memory pinned(count);
  const float* const host = is_pageable ? in_pages.data() : pinned;
  const show::device_memory device(2 * count);
  const show::stream computes;
  const show::stream copies;
  show::work<<<4, 256, 0, computes>>>(device, count, show::cycles_of(300));
  CHECK(cudaMemcpyAsync(device + count, host, bytes, cudaMemcpyHostToDevice, copies));
  host_work(std::chrono::microseconds(250));
  CHECK(cudaDeviceSynchronize());
}
