// A job that fills the GPU several times over, and an urgent kernel that comes while it runs.
//     priorities [same]      (the urgent stream has a higher priority without it)
#include <cstring>

#include "show.h"

int main(int argument_count, char** arguments) {
  const bool is_same = argument_count > 1 && std::strcmp(arguments[1], "same") == 0;
  int least = 0;
  int greatest = 0;
  int multiprocessors = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  cudaStream_t job = nullptr;
  cudaStream_t urgent = nullptr;
  CHECK(cudaStreamCreateWithPriority(&job, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, is_same ? least : greatest));
  const show::device_memory device(2);
  show::work<<<8 * multiprocessors, 1024, 0, job>>>(device, 0, show::cycles_of(100));
  show::work<<<1, 1024, 0, urgent>>>(device + 1, 0, show::cycles_of(50));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(job));
  CHECK(cudaStreamDestroy(urgent));
}
