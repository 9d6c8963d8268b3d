// A callback that wants to launch the next batch.
#include "show.h"

static cudaError_t answer = cudaSuccess;

static void launch_next(void* device) {
  show::work<<<1, 1>>>(static_cast<float*>(device), 1, 1000);
  answer = cudaGetLastError();
}

int main() {
  const show::device_memory device(1);
  const show::stream mine;
  show::work<<<1, 1, 0, mine>>>(device, 1, show::cycles_of(100));
  CHECK(cudaLaunchHostFunc(mine, launch_next, static_cast<float*>(device)));
  CHECK(cudaDeviceSynchronize());
  std::printf("the launch inside the callback: %s\n", cudaGetErrorName(answer));
  return answer == cudaErrorNotPermitted ? 0 : 1;
}
