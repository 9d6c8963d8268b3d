// host_work() of workload.h.
#include <chrono>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api_call;

EXPORTED void host_work(std::chrono::nanoseconds duration) {
  cuda_runtime::api(trace::api_function::host_work, {.after_failure = cuda_runtime::failure_rule::answered},
                    [&](api_call& call) {
                      if (duration.count() > 0) call.run().clock().spend(duration);
                      return cudaSuccess;
                    });
}
