#include "real_gpu/unheard_call.h"

#include <utility>

#include "real_gpu/cupti_recorder.h"

namespace real_gpu {
namespace {

/// A new event, recorded in the stream; nullptr where none can be: while the stream is captured, for example.
cudaEvent_t event_in(cudaStream_t stream) {
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &captured) != cudaSuccess || captured != cudaStreamCaptureStatusNone)
    return nullptr;
  cudaEvent_t event = nullptr;
  if (cudaEventCreate(&event) != cudaSuccess) return nullptr;
  if (cudaEventRecord(event, stream) == cudaSuccess) return event;
  cudaEventDestroy(event);
  return nullptr;
}

}  // namespace

trace::memory_kind memory_kind_at(const void* address) {
  const recorder_at_work quiet;
  cudaPointerAttributes about{};
  if (cudaPointerGetAttributes(&about, address) != cudaSuccess) return trace::memory_kind::pageable;
  switch (about.type) {
    case cudaMemoryTypeHost:
      return trace::memory_kind::pinned;
    case cudaMemoryTypeDevice:
      return trace::memory_kind::device;
    case cudaMemoryTypeManaged:
      return trace::memory_kind::managed;
    default:
      return trace::memory_kind::pageable;
  }
}

unheard_call::unheard_call(const char* name, const void* return_address, std::optional<cudaStream_t> stream)
    : is_noted_(cupti_recorder::get().misses_calls()) {
  if (!is_noted_) return;
  about_.name = name;
  about_.code_address = reinterpret_cast<std::uint64_t>(return_address);
  if (stream) about_.stream = reinterpret_cast<handle>(*stream);
  about_.start = cupti_recorder::get().now();
}

void unheard_call::queues(raw_activity work) {
  if (!is_noted_) return;
  const recorder_at_work quiet;
  cupti_recorder::get().begin_event_times();
  before_ = event_in(reinterpret_cast<cudaStream_t>(about_.stream.value_or(legacy_stream)));
  if (before_ != nullptr) work_ = std::move(work);
}

cudaError_t unheard_call::returned(cudaError_t error) {
  if (!is_noted_) return error;
  about_.end = cupti_recorder::get().now();
  about_.error_code = static_cast<int>(error);
  cudaEvent_t after = nullptr;
  if (work_ && error == cudaSuccess) {
    const recorder_at_work quiet;
    after = event_in(reinterpret_cast<cudaStream_t>(about_.stream.value_or(legacy_stream)));
  }
  if (after == nullptr) work_.reset();
  cupti_recorder::get().add_unheard(std::move(about_), std::move(work_), {before_, after});
  return error;
}

}  // namespace real_gpu
