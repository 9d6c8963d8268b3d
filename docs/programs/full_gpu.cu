// Two kernels in two streams. How much runs at once depends on their size.
//     full_gpu [small]      (each kernel fills the GPU twice over without it)
#include <cstring>

#include "show.h"

int main(int argument_count, char** arguments) {
  const bool is_small = argument_count > 1 && std::strcmp(arguments[1], "small") == 0;
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const show::device_memory device(2);
  const int blocks = is_small ? 4 : 2 * multiprocessors;
  const show::stream streams[2];
  for (int i = 0; i < 2; ++i) {
    show::work<<<blocks, 1024, 0, streams[i]>>>(device + i, 0, show::cycles_of(is_small ? 400 : 200));
  }
  CHECK(cudaDeviceSynchronize());
}
