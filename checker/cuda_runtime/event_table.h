// event_table.h: the events that ever were, the handles by which the program knows them, and what each stands
// for.
//
// Not here: events in streams that capture (capture.h).
//
//     events.create(&handle, device, true, call.id());
//     events.set_last_record(events.find(handle)->id, record);
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "cuda_runtime/handle_variables.h"
#include "include/cuda_runtime_api.h"
#include "trace/recording.h"

/// What a cudaEvent_t points to: only the event's id; what is known about it is in the recording.
struct CUevent_st {
  trace::event_id id = 0;  ///< never repeats, unlike the handle
};

namespace cuda_runtime {

/// Events by id and by handle. An event is never moved: a call keeps hold of its event while it waits, and
/// others make more.
class event_table {
 public:
  /// Puts a new event of that device into the variable, on behalf of that call. `has_timing`: not cudaEventDisableTiming.
  void create(cudaEvent_t* variable, std::uint32_t device, bool has_timing, trace::call_id by);
  /// Ends the handle of a live event; waits that were issued keep their meaning.
  void destroy(cudaEvent_t handle, trace::call_id by) { all_.at(handle->id - 1).destroyed_by = by; }

  /// The live event of a handle, else nullptr.
  const trace::event* find(cudaEvent_t handle) const;
  /// The event that had the handle until it was destroyed, else nullptr.
  const trace::event* find_destroyed(cudaEvent_t handle) const;
  /// The handle that an event has or had.
  cudaEvent_t handle_of(trace::event_id id) { return &objects_.at(id - 1); }
  /// Events of a device that are not destroyed.
  std::vector<cudaEvent_t> live_on(std::uint32_t device) const;

  /// The last record of the event; 0: never recorded.
  trace::operation_id last_record(trace::event_id id) const;
  /// From now on the event stands for that record.
  void set_last_record(trace::event_id id, trace::operation_id record) { records_[id] = record; }

  /// All events that ever were, by id from 1, destroyed ones too.
  const std::deque<trace::event>& all() const { return all_; }

 private:
  std::deque<trace::event> all_;
  std::deque<CUevent_st> objects_;
  std::map<cudaEvent_t, trace::event_id> handles_;
  handle_variables<cudaEvent_t> variables_;
  std::unordered_map<trace::event_id, trace::operation_id> records_;
};

}  // namespace cuda_runtime
