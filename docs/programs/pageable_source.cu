// The host overwrites its memory as soon as cudaMemcpy has returned, pageable and pinned: what has arrived?
#include <chrono>
#include <vector>

#include "show.h"

constexpr int count = 1 << 19;
constexpr std::size_t bytes = count * sizeof(float);

static void copy_and_overwrite(const char* kind, float* host) {
  const show::device_memory device(count);
  const show::pinned_memory arrived(1);
  for (int i = 0; i < count; ++i) host[i] = 1.0f;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  for (int i = 0; i < count; ++i) host[i] = 2.0f;
  CHECK(cudaMemcpy(arrived, device + (count - 1), sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%-8s  %6.1f us, arrived as %g\n", kind, took.count(), arrived[0]);
}

int main() {
  std::vector<float> pageable(count);
  const show::pinned_memory pinned(count);
  copy_and_overwrite("pageable", pageable.data());
  copy_and_overwrite("pinned", pinned);
}
