// Two copies to the device, from memory of cudaMalloc and of cudaMallocHost. CUDA is to find the direction
// itself.
#include "show.h"

int main() {
  constexpr int count = 1 << 19;
  constexpr std::size_t bytes = count * sizeof(float);
  const show::device_memory from_malloc(count);
  const show::pinned_memory from_malloc_host(count);
  const show::device_memory destination(2 * count);
  const show::stream one;
  const show::stream other;
  CHECK(cudaMemcpyAsync(destination, from_malloc, bytes, cudaMemcpyDefault, one));
  CHECK(cudaMemcpyAsync(destination + count, from_malloc_host, bytes, cudaMemcpyDefault, other));
  CHECK(cudaDeviceSynchronize());
}
