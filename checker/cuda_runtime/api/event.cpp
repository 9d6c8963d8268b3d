// Events.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

namespace {

cudaError_t create(api_call& call, cudaEvent_t* out, unsigned int flags) {
  constexpr unsigned int known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool has_timing = (flags & cudaEventDisableTiming) == 0;
  if (out == nullptr || (flags & ~known) != 0 || ((flags & cudaEventInterprocess) != 0 && has_timing)) {
    return cudaErrorInvalidValue;
  }
  if ((flags & cudaEventInterprocess) != 0) {
    return call.not_supported("events between processes are");
  }
  call.run().events().create(out, call.run().current_device(), has_timing, call.id());
  call.event(*out);
  call.note_result(out, sizeof *out);
  return cudaSuccess;
}

/// Under which name the profile has the host's time of recording it.
std::string_view cost_of_recording(cudaEvent_t handle) {
  const trace::event* const recorded = cuda_runtime::runtime::get().events().find(handle);
  return recorded != nullptr && !recorded->has_timing ? "cudaEventRecord.untimed" : "cudaEventRecord";
}

cudaError_t record(api_call& call, cudaEvent_t event, cudaStream_t stream) {
  const trace::event* const recorded = call.event(event);
  const trace::stream* const found = call.stream(stream);
  if (recorded == nullptr || found == nullptr) return cudaErrorInvalidResourceHandle;
  if (recorded->device != found->device) {
    call.explain("the event belongs to device " + std::to_string(recorded->device) +
                 ", the stream to device " + std::to_string(found->device));
    return cudaErrorInvalidResourceHandle;
  }
  cuda_runtime::prepared_operation record;
  record.request.kind = trace::operation_kind::event_record;
  record.request.stream = found->id;
  record.request.has_timing = recorded->has_timing;
  record.recorded.event = recorded->id;
  call.run().events().set_last_record(recorded->id, call.run().work().issue(std::move(record)));
  return cudaSuccess;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api(api_function::cudaEventCreate,
             [&](api_call& call) { return create(call, event, cudaEventDefault); });
}

EXPORTED cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api(api_function::cudaEventCreateWithFlags,
             [&](api_call& call) { return create(call, event, flags); });
}

EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api(api_function::cudaEventRecord, {.cost = cost_of_recording(event)},
             [&](api_call& call) { return record(call, event, stream); });
}

EXPORTED cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return api(api_function::cudaEventRecordWithFlags, {.cost = cost_of_recording(event)}, [&](api_call& call) {
    if (flags == cudaEventRecordExternal)
      return call.not_supported("cudaEventRecordExternal, which is for graphs, is");
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    return record(call, event, stream);
  });
}

EXPORTED cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api(api_function::cudaEventQuery, [&](api_call& call) {
    const trace::event* const found = call.event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const trace::operation_id record = call.run().events().last_record(found->id);
    call.record().captured = record;
    if (record != 0 && !call.run().work().is_complete(record)) return cudaErrorNotReady;
    call.run().clock().note_synchronization();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api(api_function::cudaEventSynchronize, [&](api_call& call) {
    const trace::event* const found = call.event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const trace::operation_id record = call.run().events().last_record(found->id);
    call.record().captured = record;
    call.run().clock().wait_for(record);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api(api_function::cudaEventElapsedTime, [&](api_call& call) {
    if (ms == nullptr) return cudaErrorInvalidValue;
    std::optional<trace::nanoseconds> times[2];
    for (const int i : {1, 0}) {  // the call names the first event that gives no time
      const trace::event* const named = call.event(i == 0 ? start : end);
      if (named == nullptr) return cudaErrorInvalidResourceHandle;
      const std::string name = i == 0 ? "the first event " : "the second event ";
      const trace::operation_id record = call.run().events().last_record(named->id);
      if (record == 0 || !named->has_timing) {
        call.explain(name + (record == 0 ? "has never been recorded" : "was created without timing"));
        return cudaErrorInvalidResourceHandle;
      }
      times[i] = call.run().work().record_time(record);
      if (!times[i]) call.explain(name + "has been recorded, but the work before it is not complete yet");
    }
    if (call.run().events().find(start)->device != call.run().events().find(end)->device) {
      call.explain("the events are of two devices");
      return cudaErrorInvalidResourceHandle;
    }
    const auto& [begin, finish] = times;
    if (!begin || !finish) return cudaErrorNotReady;
    call.give(ms, std::chrono::duration<float, std::milli>(*finish - *begin).count());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api(api_function::cudaEventDestroy, [&](api_call& call) {
    if (call.event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    call.run().events().destroy(event, call.id());
    return cudaSuccess;
  });
}

}  // extern "C"
