// Four ways to get memory, and what CUDA says that each one is.
#include <cstdlib>

#include "show.h"

static const char* kind_of(const void* pointer) {
  cudaPointerAttributes seen;
  CHECK(cudaPointerGetAttributes(&seen, pointer));
  switch (seen.type) {
    case cudaMemoryTypeUnregistered:
      return "pageable: CUDA does not know it";
    case cudaMemoryTypeHost:
      return "pinned memory of the host";
    case cudaMemoryTypeDevice:
      return "memory of the device";
    default:
      return "managed memory";
  }
}

int main() {
  void* from_cuda = nullptr;
  void* from_host = nullptr;
  void* managed = nullptr;
  void* const from_library = std::malloc(4096);
  CHECK(cudaMalloc(&from_cuda, 4096));
  CHECK(cudaMallocHost(&from_host, 4096));
  CHECK(cudaMallocManaged(&managed, 4096));
  std::printf("malloc             %s\n", kind_of(from_library));
  std::printf("cudaMalloc         %s\n", kind_of(from_cuda));
  std::printf("cudaMallocHost     %s\n", kind_of(from_host));
  std::printf("cudaMallocManaged  %s\n", kind_of(managed));
  std::free(from_library);
  CHECK(cudaFree(from_cuda));
  CHECK(cudaFreeHost(from_host));
  CHECK(cudaFree(managed));
}
