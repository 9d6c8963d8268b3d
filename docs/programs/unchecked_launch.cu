// A launch that no GPU can do. Which line says so?
#include "show.h"

int main() {
  const show::device_memory device(1);
  show::work<<<1, 4096>>>(device, 1, 1000);
  const cudaError_t waiting = cudaDeviceSynchronize();
  const cudaError_t last = cudaGetLastError();
  std::printf("cudaDeviceSynchronize: %s\n", cudaGetErrorName(waiting));
  std::printf("cudaGetLastError:      %s\n", cudaGetErrorName(last));
  return waiting == cudaSuccess && last == cudaErrorInvalidValue ? 0 : 1;
}
