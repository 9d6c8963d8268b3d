// call_promise.h: what the return of a host call promises about work on the device, and whether the host
// waited.
//
// A promise follows from the table of functions and, for copies and memsets, from the kinds of memory on both
// sides (rules M1 to M12): it holds on every GPU and under every legal schedule. What the host really waited
// for in a run is host_call::waited_for.
//
//     if (trace::promise_of(recording, call) == trace::call_promise::stream) ...
#pragma once

#include "trace/recording.h"

namespace trace {

/// What is complete when a call has returned.
enum class call_promise {
  nothing,  ///< asynchronous, failed, "not ready", or waits without promising to (cudaFree)
  stream,   ///< all earlier work of a stream; a query that said yes promises it too
  event,    ///< the last record of an event; a query that said yes promises it too
  device,   ///< all earlier work of the device; also after any call that says that the device has failed
  own_operation,  ///< the copy or memset that the call issued
  source_staged,  ///< all earlier work of the stream; of the copy itself, that its source has been read
};

/// Whether the error (a cudaError_t) is that of a device that has failed: every later call returns it.
bool is_sticky(int error_code);

/// The promise of one call.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
call_promise promise_of(const recording& recording, const host_call& call);

/// Whether the call released memory, for which current drivers let the host wait until the device is idle.
/// That is no promise: a program must not rely on it.
bool waits_for_idle_device(const recording& recording, const host_call& call);

/// Whether the host waits for the device in that call: for work that the call names or issues, even when it
/// is complete; for pageable memory to be read or written; for an idle device; or by a query that said "not
/// ready". Where the recording does not say what the host waited for, the promise decides, and copies of
/// pageable memory count as waiting.
bool host_waits_in(const recording& recording, const host_call& call);

}  // namespace trace
