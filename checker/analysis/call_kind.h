// call_kind.h: what the return of a host call promises about work on the device.
#pragma once

#include "trace/recording.h"

namespace analysis {

/// What a CUDA call does to the host and to streams.
enum class call_kind {
  orders_nothing,    ///< asynchronous, failed, "not ready", or blocks without promising to (cudaMalloc,
                     ///< cudaFree)
  waits_for_stream,  ///< cudaStreamSynchronize, or cudaStreamQuery that said yes
  waits_for_event,   ///< cudaEventSynchronize, or cudaEventQuery that said yes
  waits_for_device,  ///< cudaDeviceSynchronize, or any call that says that the device has failed: none of
                     ///< its work goes on then
  waits_for_its_operation,  ///< a copy or memset that returns when it is complete
  stages_its_source,  ///< a synchronous copy of pageable memory to the device: waits for what is before it in
                      ///< its stream, and returns when the source is read
};

/// Whether the error (a cudaError_t) is that of a device that has failed: every later call returns it.
bool is_sticky(int error_code);

/// The promise of one call. Copies are judged by the kinds of memory on both sides, as documented (rules M1
/// to M12).
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
call_kind kind_of(const trace::recording& seen, const trace::host_call& call);

/// Whether the call released memory, for which current drivers let the host wait until the device is idle.
/// That is no promise: a program must not rely on it.
bool blocks_for_the_device(const trace::recording& seen, const trace::host_call& call);

/// Whether the host waits in the call: for work on the device, or to stage pageable memory.
bool keeps_host_waiting(const trace::recording& recording, const trace::host_call& call);

}  // namespace analysis
