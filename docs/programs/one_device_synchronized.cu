// A kernel on each of two devices, and a wait for the device that is current.
#include "show.h"

int main() {
  constexpr int count = 1 << 16;
  const long long cycles = show::cycles_of(400);
  CHECK(cudaSetDevice(1));
  const show::device_memory of_second(count);
  const show::stream second;
  CHECK(cudaSetDevice(0));
  const show::device_memory of_first(count);
  const show::stream first;

  show::work<<<4, 256, 0, first>>>(of_first, count, cycles);
  CHECK(cudaSetDevice(1));
  show::work<<<4, 256, 0, second>>>(of_second, count, cycles / 2);
  CHECK(cudaDeviceSynchronize());
  std::printf("device 0: %s, device 1: %s\n", cudaGetErrorName(cudaStreamQuery(first)),
              cudaGetErrorName(cudaStreamQuery(second)));
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
}
