// error_state.h: the error variable of each host thread, and the failure of the devices.
#pragma once

#include "cuda_runtime/host_threads.h"
#include "include/driver_types.h"

namespace cuda_runtime {

/// Errors that outlive the call in which they occurred.
class error_state {
 public:
  /// The error variable of the calling host thread.
  cudaError_t last() const { return static_cast<cudaError_t>(host_threads::self()->last_error); }
  void set_last(cudaError_t error) { host_threads::self()->last_error = error; }

  /// The error that all further work returns, or cudaSuccess.
  cudaError_t sticky() const { return sticky_; }
  bool has_failed() const { return sticky_ != cudaSuccess; }
  /// A kernel, copy or memset failed.
  void fail(cudaError_t error) { sticky_ = error; }
  /// After a failure the devices stay lost to the process, whatever it resets.
  void lose_devices() { sticky_ = cudaErrorDevicesUnavailable; }

 private:
  cudaError_t sticky_ = cudaSuccess;
};

}  // namespace cuda_runtime
