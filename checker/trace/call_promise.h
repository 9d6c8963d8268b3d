// call_promise.h: which work is complete when a host call returns, and whether the host waited.
//
// A promise follows from the table of functions and, for copies and memsets, from the kinds of memory on both sides
// (rules M1 to M12). It holds on every GPU and under every legal schedule. For the waits of one run see
// host_call::waited_for.
//
//     if (trace::promise_of(recording, call) == trace::call_promise::stream) ...
#pragma once

#include "trace/recording.h"

namespace trace {

/// The work that is complete when a call has returned.
enum class call_promise {
  nothing,        ///< asynchronous, failed, "not ready", or waits without promising to (cudaFree)
  stream,         ///< all earlier work of a stream; also after a query that returned cudaSuccess
  event,          ///< the last record of an event; also after a query that returned cudaSuccess
  device,         ///< all earlier work of the device; also after a call that reports a failed device
  own_operation,  ///< the copy or memset that the call issued
  source_staged,  ///< all earlier work of the stream; of the copy itself, that its source has been read
};

/// True for a cudaError_t that every later call returns too, because the device has failed.
bool is_sticky(int error_code);

/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
call_promise promise_of(const recording& recording, const host_call& call);

/// Whether cudaMallocAsync() or another function allocated it in the order of a stream.
bool is_stream_ordered(const recording& recording, const allocation& memory);

/// True when the call released memory, for which current drivers wait until the device is idle. A program must not rely
/// on it. Memory of cudaMallocAsync() they release at once.
/// @see CUDA C++ Programming Guide, "Stream Ordered Memory Allocator", "Interoperability with cudaMalloc and cudaFree"
bool waits_for_idle_device(const recording& recording, const host_call& call);

/// Whether it is a copy from or to pageable memory.
bool copies_pageable_memory(const operation& operation);

/// True when the host waits for the device in that call: for work that the call names or issues, even when it is
/// complete; for pageable memory to be read or written; for an idle device; or in a query that returned "not ready" and is
/// made again before the thread queues anything.
/// Where the recording does not say, the promise decides, and copies of pageable memory count as waiting.
bool host_waits_in(const recording& recording, const host_call& call);

}  // namespace trace
