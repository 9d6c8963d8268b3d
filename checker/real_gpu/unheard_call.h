// unheard_call.h: what is recorded of a call where CUPTI refused to: that it was made, and, for work that it
// queues, the times of events around that work.
//
// The event before an operation is reached when the work before it in its stream has ended, perhaps long
// before an engine takes the operation. So these times tell how long work takes that has the device to
// itself, and when all work had ended; not what ran at the same time.
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

/// One call, from its construction on. Does nothing where CUPTI records, for the recorder's own calls, and in
/// host functions, which may not call CUDA.
class unheard_call {
 public:
  /// `name` is that of the function, `stream` the one that it names.
  unheard_call(const char* name, const void* return_address,
               std::optional<cudaStream_t> stream = std::nullopt);

  /// Whether anything is to be noted: what takes time to find out need not be asked otherwise.
  bool is_noted() const { return is_noted_; }
  /// What else the recording keeps track of.
  raw_call& about() { return about_; }
  /// Says that the call queues this work; kind, bytes, memory kinds, name and sizes are its caller's to fill in.
  void queues(raw_activity work);
  /// Notes the call as it came out; gives the error back.
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
