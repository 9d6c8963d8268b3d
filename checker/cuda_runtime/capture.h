// capture.h: streams that capture: what is issued to them becomes nodes of a graph and does not run.
//
// A capture begins in one stream; others join when they wait for an event recorded in it. What a call may do
// meanwhile, and which error it gives otherwise, is here; a call that may not be made invalidates the
// captures that it disturbs. The errors are those of an H200, CUDA 13.0, driver 580. @see CUDA Programming
// Guide, "CUDA Graphs", stream capture
//
//     captures.begin(stream, cudaStreamCaptureModeGlobal, thread);
//     captures.of(stream)->add(node);
//     cudaError_t error = captures.end(stream, thread, graph);
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "cuda_runtime/graph.h"

namespace cuda_runtime {

/// One capture, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct capture {
  unsigned long long id = 0;  ///< never repeats; what cudaStreamGetCaptureInfo answers
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;  ///< which unsafe calls it forbids, and to whom
  trace::thread_id thread = 0;                               ///< that began it
  trace::stream_id origin = 0;                               ///< in which it began
  bool is_valid = true;  ///< false: a call invalidated it, and it can only be ended
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();  ///< captured so far
  /// For each stream that takes part, the nodes on which the next one there will depend.
  std::map<trace::stream_id, std::vector<cudaGraphNode_t>> ends{};

  /// Adds what would have been issued to the request's stream, on behalf of that call.
  void add(prepared_operation work, trace::call_id by);
  /// Whether all that other streams captured comes before the end of the origin.
  bool is_joined() const;
};

/// The captures of the process that have begun and not ended.
class capture_table {
 public:
  /// The capture in which the stream takes part; nullptr: none.
  capture* of(trace::stream_id stream);

  /// Begins one in a stream that does not capture. @see CUDA Runtime API, cudaStreamBeginCapture
  void begin(const trace::stream& stream, cudaStreamCaptureMode mode, trace::thread_id thread);
  /// Ends the capture; the graph is empty unless it returns cudaSuccess.
  cudaError_t end(const trace::stream& stream, trace::thread_id thread, std::unique_ptr<CUgraph_st>& graph);

  /// What a captured event record captured; it is one until the event is recorded outside of a capture.
  void note_record(trace::event_id event, const capture& active, trace::stream_id stream);
  /// The event was recorded outside of a capture.
  void forget_record(trace::event_id event) { records_.erase(event); }
  /// Whether the latest record of the event was captured.
  bool is_captured(trace::event_id event) const { return records_.count(event) != 0; }
  /// Lets a stream wait for an event where one of both is captured; `is_handled` says whether that is so.
  cudaError_t wait(const trace::stream& stream, trace::event_id event, bool was_recorded, bool& is_handled);

  /// What cudaThreadExchangeStreamCaptureMode sets for a thread.
  cudaStreamCaptureMode& mode_of(trace::thread_id thread) { return thread_modes_[thread]; }

  /// The answer to a call as such, without regard to the stream or event that it names.
  cudaError_t check_call(trace::api_function function, trace::thread_id thread);
  /// The answer to a call that names the stream, or uses it as default stream. `streams` are all that there are.
  cudaError_t check_stream(trace::api_function function, const trace::stream& named,
                           const std::deque<trace::stream>& streams, trace::thread_id thread);
  /// The answer to a call that names the event.
  cudaError_t check_event(trace::api_function function, trace::event_id named, trace::thread_id thread);
  /// Whether blocking streams of the legacy stream's device capture: then it may not be used.
  bool is_legacy_blocked(const trace::stream& legacy, const std::deque<trace::stream>& streams);

 private:
  struct captured_record {
    unsigned long long capture = 0;
    std::vector<cudaGraphNode_t> nodes;
  };
  cudaError_t check_unsafe(trace::thread_id thread);
  capture* running(unsigned long long id);

  std::deque<capture> captures_;  // that have begun and not ended
  std::map<trace::event_id, captured_record> records_;
  std::map<trace::thread_id, cudaStreamCaptureMode> thread_modes_;
  unsigned long long last_id_ = 0;
};

}  // namespace cuda_runtime
