#include "cuda_runtime/capture.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace cuda_runtime {
namespace {

cudaGraphNodeType type_of(trace::operation_kind kind) {
  switch (kind) {
    case trace::operation_kind::kernel:
      return cudaGraphNodeTypeKernel;
    case trace::operation_kind::copy:
      return cudaGraphNodeTypeMemcpy;
    case trace::operation_kind::memset:
      return cudaGraphNodeTypeMemset;
    case trace::operation_kind::host_function:
      return cudaGraphNodeTypeHost;
    case trace::operation_kind::event_record:
      return cudaGraphNodeTypeEventRecord;
    case trace::operation_kind::event_wait:
      return cudaGraphNodeTypeWaitEvent;
    case trace::operation_kind::allocate:
      return cudaGraphNodeTypeMemAlloc;
    case trace::operation_kind::release:
      return cudaGraphNodeTypeMemFree;
    default:
      return cudaGraphNodeTypeEmpty;
  }
}

}  // namespace

void capture::add(prepared_operation work, trace::call_id by) {
  work.recorded.defined_by = by;
  std::vector<cudaGraphNode_t>& end = ends[work.request.stream];
  CUgraphNode_st node;
  node.type = type_of(work.request.kind);
  node.work = std::make_shared<const prepared_operation>(std::move(work));
  node.after = end;
  end = {&graph->add(std::move(node))};
}

bool capture::is_joined() const {
  std::set<cudaGraphNode_t> before;
  std::vector<cudaGraphNode_t> next = ends.at(origin);
  while (!next.empty()) {
    const cudaGraphNode_t node = next.back();
    next.pop_back();
    if (before.insert(node).second) next.insert(next.end(), node->after.begin(), node->after.end());
  }
  return std::all_of(ends.begin(), ends.end(), [&](const auto& stream) {
    return std::all_of(stream.second.begin(), stream.second.end(),
                       [&](cudaGraphNode_t node) { return before.count(node) != 0; });
  });
}

capture* capture_table::of(trace::stream_id stream) {
  for (capture& active : captures_) {
    if (active.ends.count(stream) != 0) return &active;
  }
  return nullptr;
}

capture* capture_table::running(unsigned long long id) {
  for (capture& active : captures_) {
    if (active.id == id) return &active;
  }
  return nullptr;
}

void capture_table::begin(const trace::stream& stream, cudaStreamCaptureMode mode, trace::thread_id thread) {
  capture& added = captures_.emplace_back();
  added.id = ++last_id_;
  added.mode = mode;
  added.thread = thread;
  added.origin = stream.id;
  added.ends[stream.id];
}

cudaError_t capture_table::end(const trace::stream& stream, trace::thread_id thread,
                               std::unique_ptr<CUgraph_st>& graph) {
  capture* const ended = of(stream.id);
  if (ended == nullptr) return cudaErrorIllegalState;
  if (ended->origin != stream.id) {
    ended->is_valid = false;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (ended->mode != cudaStreamCaptureModeRelaxed && ended->thread != thread)
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t error = cudaSuccess;
  if (!ended->is_valid) {
    error = cudaErrorStreamCaptureInvalidated;
  } else if (!ended->is_joined()) {
    error = cudaErrorStreamCaptureUnjoined;
  } else {
    graph = std::move(ended->graph);
  }
  const auto place = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const capture& active) { return &active == ended; });
  captures_.erase(place);
  return error;
}

void capture_table::note_record(trace::event_id event, const capture& active, trace::stream_id stream) {
  records_[event] = {active.id, active.ends.at(stream)};
}

cudaError_t capture_table::wait(const trace::stream& stream, trace::event_id event, bool was_recorded,
                                bool& is_handled) {
  capture* const waiting = of(stream.id);
  const auto record = records_.find(event);
  is_handled = waiting != nullptr || record != records_.end();
  if (!is_handled) return cudaSuccess;
  if (record == records_.end()) {
    if (!was_recorded) return cudaSuccess;
    waiting->is_valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  capture* const awaited = running(record->second.capture);
  if (awaited == nullptr) return cudaErrorCapturedEvent;
  if (waiting != nullptr && waiting != awaited) {
    waiting->is_valid = awaited->is_valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  if (!awaited->is_valid) return cudaErrorStreamCaptureInvalidated;
  std::vector<cudaGraphNode_t>& end = awaited->ends[stream.id];
  for (const cudaGraphNode_t node : record->second.nodes) {
    if (std::find(end.begin(), end.end(), node) == end.end()) end.push_back(node);
  }
  return cudaSuccess;
}

/// @see CUDA Runtime API, "cudaThreadExchangeStreamCaptureMode"
cudaError_t capture_table::check_unsafe(trace::thread_id thread) {
  const cudaStreamCaptureMode thread_mode = mode_of(thread);
  cudaError_t error = cudaSuccess;
  for (capture& active : captures_) {
    const bool is_own = active.thread == thread && active.mode != cudaStreamCaptureModeRelaxed;
    const bool is_global =
        active.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
    if (thread_mode == cudaStreamCaptureModeRelaxed || (!is_own && !is_global)) continue;
    active.is_valid = false;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

cudaError_t capture_table::check_call(trace::api_function function, trace::thread_id thread) {
  const trace::api_function_traits& traits = trace::traits_of(function);
  const bool is_unsafe =
      traits.capture == trace::capture_rule::unsafe && traits.names == trace::named_object::nothing;
  if (captures_.empty() || !is_unsafe) return cudaSuccess;
  return check_unsafe(thread);
}

bool capture_table::is_legacy_blocked(const trace::stream& legacy, const std::deque<trace::stream>& streams) {
  return std::any_of(streams.begin(), streams.end(), [&](const trace::stream& stream) {
    return stream.device == legacy.device && stream.blocking == trace::stream_blocking::blocking &&
           of(stream.id) != nullptr;
  });
}

cudaError_t capture_table::check_stream(trace::api_function function, const trace::stream& named,
                                        const std::deque<trace::stream>& streams, trace::thread_id thread) {
  const trace::capture_rule rule = trace::traits_of(function).capture;
  if (captures_.empty() || rule == trace::capture_rule::harmless) return cudaSuccess;
  if (named.kind == trace::stream_kind::legacy_default && is_legacy_blocked(named, streams)) {
    for (const trace::stream& stream : streams) {
      capture* const disturbed =
          stream.blocking == trace::stream_blocking::blocking ? of(stream.id) : nullptr;
      if (disturbed != nullptr && stream.device == named.device) disturbed->is_valid = false;
    }
    return cudaErrorStreamCaptureImplicit;
  }
  if (capture* const own = of(named.id)) {
    if (rule != trace::capture_rule::captured) {
      own->is_valid = false;
      return cudaErrorStreamCaptureUnsupported;
    }
    if (!own->is_valid) return cudaErrorStreamCaptureInvalidated;
  }
  return rule == trace::capture_rule::unsafe ? check_unsafe(thread) : cudaSuccess;
}

cudaError_t capture_table::check_event(trace::api_function function, trace::event_id named,
                                       trace::thread_id thread) {
  const trace::capture_rule rule = trace::traits_of(function).capture;
  if (rule != trace::capture_rule::unsafe && rule != trace::capture_rule::uncaptured_event)
    return cudaSuccess;
  if (const auto record = records_.find(named); record != records_.end()) {
    if (capture* const disturbed = running(record->second.capture)) disturbed->is_valid = false;
    return cudaErrorCapturedEvent;
  }
  if (captures_.empty() || rule == trace::capture_rule::uncaptured_event) return cudaSuccess;
  return check_unsafe(thread);
}

}  // namespace cuda_runtime
