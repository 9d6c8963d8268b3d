// host_work() of workload.h.
#include <chrono>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

EXPORTED void host_work(std::chrono::nanoseconds duration) {
  cuda_runtime::api_call call("host_work", __builtin_return_address(0));
  if (duration.count() > 0) call.run().spend(duration);
  call.done_regardless(cudaSuccess);
}
