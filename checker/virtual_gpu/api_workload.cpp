// host_work() of workload.h.
#include <chrono>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"

EXPORTED void host_work(std::chrono::nanoseconds duration) {
  virtual_gpu::api_call call("host_work", __builtin_return_address(0));
  if (duration.count() > 0) call.run().spend(duration);
  call.done_regardless(cudaSuccess);
}
