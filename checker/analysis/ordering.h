// ordering.h: happens-before between the operations and the host of one recording.
//
// Order comes from stream order (of what two threads issue, only where their calls are ordered), event records (a
// snapshot of the stream) and waits, host synchronisation and successful queries, the legacy default stream in both
// directions, the edges of graphs, and from issue (an operation is after everything its host thread did before). What
// merely happens to block (cudaMalloc, cudaFree, a pageable asynchronous copy) is no order. Not here: who touched which
// bytes (races.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/clock_store.h"
#include "analysis/limits.h"
#include "trace/recording.h"

namespace analysis {

/// A point on the host: thread `thread`, after its call `after` returned (0: before its first call) and
/// before its next, in its step `step` (see trace::host_edge).
struct host_point {
  trace::thread_id thread = 0;  ///< which host thread
  trace::call_id after = 0;     ///< its last call before the point
  std::uint32_t step = 0;       ///< its step at the point
};

/// A step of an operation. Host functions pass on and take over in the middle (trace::host_edge); other operations have one step.
struct operation_point {
  trace::operation_id operation = 0;
  std::uint32_t step = 0;
};

/// Happens-before in one recording: what streams, events, waits and host threads put in order.
class ordering {
 public:
  /// Keeps a reference to the recording. Costs time and memory in proportion to the operations and the waits, and to
  /// the logarithm of the number of streams and host threads; more only where many streams wait for each other
  /// crosswise.
  /// @throws too_large when the clocks would take more than `limit_bytes`.
  explicit ordering(const trace::recording& recording, std::size_t limit_bytes = max_clock_bytes);

  /// Whether `first` is complete before `second` may start, in every legal schedule. Of a host function, it is enough when the first
  /// step of the one is before the last of the other.
  bool is_before(trace::operation_id first, trace::operation_id second) const;
  /// Whether the operation is complete, in every legal schedule, when the host is at that point.
  bool is_before(trace::operation_id operation, host_point host) const;
  /// Whether the host is past that point before the operation may start.
  bool is_before(host_point host, trace::operation_id operation) const;
  /// Whether one thread is past the first point, in every legal schedule, when another is at the second.
  bool is_before(host_point first, host_point second) const;
  /// The same for steps of operations.
  bool is_before(operation_point first, operation_point second) const;
  bool is_before(operation_point first, host_point second) const;
  bool is_before(host_point first, operation_point second) const;
  /// Whether the operation was issued, in every legal schedule, before the host is at that point.
  bool is_issued_before(trace::operation_id operation, host_point host) const;
  /// Whether the source of a copy may be reused by the host at that point: the copy is complete, or it is a
  /// synchronous copy of pageable memory to the device, which waits for the work before it in its stream and
  /// returns when the source has been staged (rule M1). An asynchronous copy of pageable memory only may
  /// stage its source before it returns, so that is no order.
  bool source_is_free(trace::operation_id copy, host_point host) const;
  /// Whether the source of a copy has been read before the operation may start.
  bool source_is_free(trace::operation_id copy, trace::operation_id operation) const;
  /// Whether the copy is a synchronous one of pageable memory to the device.
  bool is_staged(trace::operation_id copy) const;
  /// The row of operations in which it has its place: each is before the next. What one thread issued into one stream, or,
  /// for nodes of graphs, one of a few beside it.
  std::uint32_t timeline_of(trace::operation_id operation) const {
    return operations_.at(operation - 1).timeline;
  }
  /// What its clocks take.
  std::size_t clock_bytes() const { return clocks_.bytes(); }

 private:
  friend class ordering_builder;

  // A clock says, for each timeline, how far it is known to have come: for a stream, how many of its operations are
  // complete; for a branch of the graphs launched into it, how many nodes; for a host thread, the rank before which all
  // its points are passed.
  using clock = clock_store::clock;
  struct placed {
    std::uint32_t timeline = 0;  // of its stream, or of its branch of the graphs of the stream
    std::uint32_t position = 0;  // in its timeline, from 1; of a graph launch, that of its completion
    clock before = 0;            // complete before it may start, other than what is before it in its timeline
  };
  // What edges divide a host function into: parts with a position each, of which the last is that of the function.
  struct function_parts {
    std::vector<std::uint32_t> begins;  // the first step of each part but the first; ascending
    std::vector<clock> before;          // by part: what is known there
    std::size_t part_of(std::uint32_t step) const;
  };

  std::uint32_t progress(clock known, std::uint32_t timeline) const { return clocks_.value(known, timeline); }
  clock clock_at(host_point host) const;
  // Calls and host points of one thread have ascending ranks; a thread's points between two calls have ranks
  // of their own where it let another thread go on between them.
  std::uint32_t rank_of(trace::call_id call) const { return ranks_.empty() ? call : ranks_[call]; }
  std::uint32_t rank_of(host_point host) const;
  placed place_of(operation_point point) const;
  placed place_of_first_part(trace::operation_id operation) const;
  bool is_before(const placed& first, const placed& second) const;
  bool is_before(host_point first, trace::operation_id operation, clock before) const;

  const trace::recording* recording_;
  clock_store clocks_;              // of used streams, branches of their graphs, then threads
  std::vector<placed> operations_;  // by id - 1
  std::unordered_map<trace::operation_id, function_parts> parts_;  // of host functions that edges divide
  std::vector<clock> after_call_;   // by id - 1: what its thread knows until its next
  struct acquired {
    trace::call_id after = 0;
    std::uint32_t step = 0;
    clock known = 0;
  };
  using place_between_calls = std::pair<trace::call_id, std::uint32_t>;
  std::vector<std::uint32_t>
      ranks_;  // by call id; empty: no thread lets another go on, so the id is the rank
  std::unordered_map<trace::thread_id, std::vector<place_between_calls>> releases_;  // ascending
  std::unordered_map<trace::thread_id, std::vector<acquired>>
      acquired_;  // what each thread learned from others, in the order in which it did
  std::unordered_map<trace::thread_id, std::uint32_t> thread_timelines_;
};

}  // namespace analysis
