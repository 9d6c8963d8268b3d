// unheard_call.h: records a call where CUPTI refused to record: the call itself, and the times of events around
// the work that it queues.
//
// The event before an operation is reached when the earlier work of its stream has ended, perhaps long before an
// engine takes the operation. These times measure work that has the device to itself, and the end of all work,
// but not overlap.
//
//     unheard_call call("cudaMemcpyAsync", __builtin_return_address(0), stream);
//     call.queues(work);
//     return call.returned(copy(...));
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "real_gpu/raw_run.h"

namespace real_gpu {

/// One call, from its construction. Does nothing where CUPTI records, for the recorder's own calls, and in host
/// functions, which must not call CUDA.
class unheard_call {
 public:
  /// `name` is that of the function, `stream` the one that it names.
  unheard_call(const char* name, const void* return_address,
               std::optional<cudaStream_t> stream = std::nullopt);

  /// False when nothing is recorded, so that callers can skip expensive queries.
  bool is_noted() const { return is_noted_; }
  /// The record of the call, for further properties.
  raw_call& about() { return about_; }
  /// The call queues this work. The caller fills in kind, bytes, memory kinds, name and sizes.
  void queues(raw_activity work);
  /// Records the call with its result, and returns that.
  cudaError_t returned(cudaError_t error);

 private:
  bool is_noted_ = false;
  raw_call about_;
  std::optional<raw_activity> work_;
  cudaEvent_t before_ = nullptr;
};

/// The kind of memory that the address belongs to; pageable where CUDA does not know it.
trace::memory_kind memory_kind_at(const void* address);

}  // namespace real_gpu
