// Managed memory moves when it is prefetched, or touched on the other side, and takes as long as an H200
// (CUDA 13.0, driver 580) was measured to take for 64 MiB, within 25 %. What is where it is used takes
// nothing, and of the rest only the pages that are touched move.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

constexpr std::size_t bytes = 64 << 20, page_bytes = 64 << 10;

int failures = 0;

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename Work>
double ms_of(Work work) {
  cudaDeviceSynchronize();
  const double begin = now_ms();
  work();
  cudaDeviceSynchronize();
  return now_ms() - begin;
}

void expect_near(const char* subject, double result, double expected, double tolerance) {
  const bool is_near = std::abs(result - expected) <= tolerance;
  std::printf("%-44s %8.3f ms, expected %8.3f%s\n", subject, result, expected, is_near ? "" : "  FAILED");
  failures += !is_near;
}

/// Touches one word of each page: an access moves its page as a whole.
__global__ void touch(char* data, std::size_t pages) {
  const std::size_t page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page < pages) ++data[page * page_bytes];
}

void touch_by_kernel(char* data, std::size_t pages) {
  touch<<<static_cast<unsigned>(pages / 32 + 1), 32>>>(data, pages);
}

void touch_by_host(char* data, std::size_t pages) {
  for (std::size_t page = 0; page < pages; ++page) ++data[page * page_bytes];
}

}  // namespace

int main() {
  constexpr std::size_t pages = bytes / page_bytes;
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  char* data = nullptr;
  cudaMallocManaged(&data, bytes);
  touch_by_host(data, pages);
  touch_by_kernel(data, 0);  // the first launch takes longer

  const double call_ms = ms_of([&] { touch_by_kernel(data, 0); });
  expect_near("a kernel that touches what is on the host", ms_of([&] { touch_by_kernel(data, pages); }), 9.0,
              2.25);
  expect_near("the same kernel again", ms_of([&] { touch_by_kernel(data, pages); }), call_ms, 0.05);
  expect_near("the host touches what is on the device", ms_of([&] { touch_by_host(data, pages); }), 7.4,
              1.85);
  expect_near("the host touches it again", ms_of([&] { touch_by_host(data, pages); }), 0, 0.05);
  expect_near("a prefetch to the device", ms_of([&] { cudaMemPrefetchAsync(data, bytes, device, 0, 0); }),
              1.41, 0.35);
  expect_near("the same prefetch again", ms_of([&] { cudaMemPrefetchAsync(data, bytes, device, 0, 0); }), 0,
              0.05);
  expect_near("a kernel behind the prefetch", ms_of([&] { touch_by_kernel(data, pages); }), call_ms, 0.05);
  expect_near("a prefetch back", ms_of([&] { cudaMemPrefetchAsync(data, bytes, host, 0, 0); }), 2.75, 0.69);
  expect_near("a kernel that touches a quarter", ms_of([&] { touch_by_kernel(data, pages / 4); }), 9.0 / 4,
              2.25 / 4);
  expect_near("a prefetch of the rest", ms_of([&] { cudaMemPrefetchAsync(data, bytes, device, 0, 0); }),
              1.41 * 3 / 4, 0.35 * 3 / 4);
  cudaFree(data);
  return failures == 0 ? 0 : 1;
}
