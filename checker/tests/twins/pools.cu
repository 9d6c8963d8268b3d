// Stream-ordered memory lives from its allocation to its release, at their places in a stream.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

}  // namespace

TWIN(wait_for_the_allocation_in_another_stream, "unordered_accesses") {
  stream owner, user;
  event allocated, used;
  int* data = nullptr;
  cudaMallocAsync(&data, bytes, owner);
  cudaEventRecord(allocated, owner);
  if (is_correct) cudaStreamWaitEvent(user, allocated);
  fill<<<blocks, threads, 0, user>>>(data, count, 1);
  cudaEventRecord(used, user);
  cudaStreamWaitEvent(owner, used);
  cudaFreeAsync(data, owner);
  cudaDeviceSynchronize();
}

TWIN(wait_before_the_release_in_another_stream, "unordered_accesses") {
  stream owner, user;
  event allocated, used;
  int* data = nullptr;
  cudaMallocAsync(&data, bytes, owner);
  cudaEventRecord(allocated, owner);
  cudaStreamWaitEvent(user, allocated);
  fill<<<blocks, threads, 0, user>>>(data, count, 1);
  cudaEventRecord(used, user);
  if (is_correct) cudaStreamWaitEvent(owner, used);
  cudaFreeAsync(data, owner);
  cudaDeviceSynchronize();
}
