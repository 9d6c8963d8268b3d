// launch_blocking.cu: the environment variable CUDA_LAUNCH_BLOCKING, which CUDA reads at its first use.
#include <cstdlib>

#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void give_up() { __trap(); }

}  // namespace

RULE(L5, "with CUDA_LAUNCH_BLOCKING=1 a launch returns when the kernel is done",
     programming_guide("environment variables", "CUDA_LAUNCH_BLOCKING")) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const word = shared_word();
  store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaSuccess);
}

RULE(L5, "with CUDA_LAUNCH_BLOCKING=1 a kernel that fails shows at its launch",
     programming_guide("environment variables", "CUDA_LAUNCH_BLOCKING")) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  give_up<<<1, 1>>>();
  EXPECT_EQUAL(cudaPeekAtLastError(), cudaErrorLaunchFailure);
}

RULE(L5, "with CUDA_LAUNCH_BLOCKING=1 asynchronous copies are still asynchronous", measured_on_h200) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  constexpr std::size_t bytes = 64 << 20;
  cudaStream_t const stream = non_blocking_stream();
  void* host = nullptr;
  void* device = nullptr;
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  CHECK(cudaMemsetAsync(device, 0, bytes, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaSuccess);
}

RULE(L5, "without it a launch returns at once",
     programming_guide("Asynchronous Execution", "asynchronous operations")) {
  unsetenv("CUDA_LAUNCH_BLOCKING");
  cudaStream_t const stream = non_blocking_stream();
  gate closed;
  closed.hold(stream);
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}
