#include "analysis/misuse.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/host_points.h"
#include "analysis/places.h"
#include "trace/call_promise.h"
#include "trace/words.h"

namespace analysis {
namespace {

using trace::call_effect;
using trace::host_call;

constexpr int not_permitted = 800, not_supported = 801, peer_access_already_enabled = 704;
constexpr int launch_out_of_resources = 701;  // of a kernel before the call

/// Whether the call gives a device work, or waits for some.
bool does_something(const host_call& call) {
  const call_effect effect = trace::effect_of(call);
  return call.operation != 0 || effect == call_effect::launches_kernel ||
         effect == call_effect::launches_graph || effect == call_effect::copies ||
         effect == call_effect::synchronizes;
}

class misuse_search {
 public:
  misuse_search(const part& part, const ordering& order)
      : part_(part), recording_(*part.recording), order_(order) {}

  std::vector<misuse> run() {
    collect_diagnostics();
    collect_records();
    for (const trace::call_id id : part_.calls) look_at(recording_.call_at(id));
    collect_freed_while_in_use();
    collect_unchecked_errors();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const misuse& one, const misuse& two) { return one.call < two.call; });
    collect_leaks();
    return std::move(found_);
  }

 private:
  void collect_diagnostics() {
    for (std::size_t i = 0; i < recording_.diagnostics.size(); ++i) {
      const trace::diagnostic& diagnostic = recording_.diagnostics[i];
      if (diagnostic.kind == trace::diagnostic_kind::graph_leak) continue;  // among the leaks
      if (!trace::is_misuse(diagnostic.kind) || (diagnostic.call != 0 && !is_in_part(diagnostic.call)))
        continue;
      if (diagnostic.call != 0) explained_.insert(diagnostic.call);
      add({.kind = misuse_kind::reported_by_backend, .call = diagnostic.call, .diagnostic = i},
          diagnostic.where);
    }
  }

  void collect_records() {
    is_recorded_.assign(recording_.events.size(), false);
    for (const trace::operation& operation : recording_.operations) {
      if (operation.kind == trace::operation_kind::event_record && operation.event != 0)
        is_recorded_[operation.event - 1] = true;
    }
  }

  void look_at(const host_call& call) {
    if (call.error_code == 0) return look_at_wait(call);
    if (trace::effect_of(call) == call_effect::measures_time && !names_what_is_destroyed(call)) {
      explained_.insert(call.id);
      add({.kind = misuse_kind::no_time_between_events, .call = call.id, .event = call.event}, call.where);
    } else if (names_what_is_destroyed(call)) {
      explained_.insert(call.id);
      add({.kind = misuse_kind::used_after_destruction,
           .call = call.id,
           .stream = is_destroyed_before(call, stream_of(call)) ? call.stream : 0,
           .event = is_destroyed_before(call, event_of(call)) ? call.event : 0},
          call.where);
    } else if (trace::effect_of(call) == call_effect::frees && is_failure(call) &&
               call.error_code != launch_out_of_resources) {
      explained_.insert(call.id);
      add({.kind = misuse_kind::failed_release, .call = call.id}, call.where);
    }
  }

  void look_at_wait(const host_call& call) {
    trace::event_id event = 0;
    if (trace::traits_of(call.function).waits_for == trace::wait_target::event) {
      if (call.captured == 0) event = call.event;
    } else if (call.operation != 0) {
      const trace::operation& issued = recording_.operation_at(call.operation);
      if (issued.kind == trace::operation_kind::event_wait && issued.captured == 0) event = issued.event;
    }
    // A wait before the first record may be meant: the first round of a loop has nothing to wait for.
    if (event == 0 || is_recorded_[event - 1]) return;
    add({.kind = misuse_kind::unrecorded_event, .call = call.id, .event = event}, call.where);
  }

  const trace::stream* stream_of(const host_call& call) const {
    return call.stream == 0 ? nullptr : &recording_.stream_at(call.stream);
  }
  const trace::event* event_of(const host_call& call) const {
    return call.event == 0 ? nullptr : &recording_.event_at(call.event);
  }
  /// What was to be destroyed after the device had failed is not known to be destroyed.
  template <typename Object>
  bool is_destroyed_before(const host_call& call, const Object* object) const {
    return object != nullptr && object->destroyed_by != 0 && object->destroyed_by < call.id &&
           recording_.call_at(object->destroyed_by).error_code == 0;
  }
  bool names_what_is_destroyed(const host_call& call) const {
    return is_destroyed_before(call, stream_of(call)) || is_destroyed_before(call, event_of(call));
  }

  void collect_freed_while_in_use() {
    // By allocation and timeline: the last operation that uses it, issued before it is freed.
    std::map<std::pair<trace::allocation_id, std::uint32_t>, trace::operation_id> last_use;
    for (const trace::operation& operation : recording_.operations) {
      if (!operation.accesses) continue;
      for (const trace::access& access : *operation.accesses) {
        const trace::call_id freed_by = recording_.allocation_at(access.allocation).freed_by;
        if (freed_by == 0 || operation.issued_by >= freed_by || !is_in_part(freed_by)) continue;
        // What frees in the order of a stream is an operation that writes all of it: a race, if anything.
        if (recording_.call_at(freed_by).operation == 0)
          last_use[{access.allocation, order_.timeline_of(operation.id)}] = operation.id;
      }
    }
    struct use {
      trace::operation_id last = 0;
      std::set<trace::stream_id> streams;
    };
    std::map<trace::allocation_id, use> in_use;
    for (const auto& [used, operation] : last_use) {
      const host_call& free = recording_.call_at(recording_.allocation_at(used.first).freed_by);
      if (free.error_code != 0 || order_.is_before(operation, entry_of(recording_, free))) continue;
      use& found = in_use[used.first];
      found.last = std::max(found.last, operation);
      found.streams.insert(recording_.operation_at(operation).stream);
    }
    for (const auto& [allocation, use] : in_use) {
      const trace::call_id freed_by = recording_.allocation_at(allocation).freed_by;
      add({.kind = misuse_kind::freed_while_in_use,
           .call = freed_by,
           .operation = use.last,
           .allocation = allocation,
           .streams = {use.streams.begin(), use.streams.end()}},
          recording_.call_at(freed_by).where);
    }
  }

  /// Where nothing takes what a call returns, its thread has to ask for the error.
  void collect_unchecked_errors() {
    std::map<trace::thread_id, std::vector<misuse>> pending;  // not asked for
    for (const trace::call_id id : part_.calls) {
      const host_call& call = recording_.call_at(id);
      std::vector<misuse>& unchecked = pending[call.thread];
      const call_effect effect = trace::effect_of(call);
      if (effect == call_effect::asks_for_error || effect == call_effect::takes_error) unchecked.clear();
      for (misuse& earlier : unchecked) {
        if (earlier.went_on == 0 && (does_something(call) || is_failure(call))) earlier.went_on = id;
      }
      if (call.is_result_unused && is_failure(call))
        unchecked.push_back({.kind = misuse_kind::unchecked_error, .call = id});
    }
    for (const auto& [thread, unchecked] : pending) {
      for (const misuse& one : unchecked) add(one, recording_.call_at(one.call).where);
    }
  }

  bool is_failure(const host_call& call) const {
    return call.error_code != 0 && call.error_code != trace::not_ready && call.error_code != not_permitted &&
           call.error_code != not_supported && call.error_code != peer_access_already_enabled &&
           !trace::is_sticky(call.error_code) && !explained_.contains(call.id);
  }

  void collect_leaks() {
    for (const trace::stream& stream : recording_.streams) {
      if (!is_made_in_part(stream.created_by) || stream.destroyed_by != 0) continue;
      add({.kind = misuse_kind::stream_leak, .call = stream.created_by, .stream = stream.id},
          recording_.call_at(stream.created_by).where);
    }
    for (const trace::event& event : recording_.events) {
      if (!is_made_in_part(event.created_by) || event.destroyed_by != 0) continue;
      add({.kind = misuse_kind::event_leak, .call = event.created_by, .event = event.id},
          recording_.call_at(event.created_by).where);
    }
    for (std::size_t i = 0; i < recording_.diagnostics.size(); ++i) {
      const trace::diagnostic& note = recording_.diagnostics[i];
      if (note.kind == trace::diagnostic_kind::graph_leak && is_in_part(note.call))
        add({.kind = misuse_kind::graph_leak, .call = note.call, .diagnostic = i}, note.where);
    }
    for (const trace::allocation& allocation : recording_.allocations) {
      if (!is_made_in_part(allocation.allocated_by) || allocation.freed_by != 0) continue;
      const host_call& call = recording_.call_at(allocation.allocated_by);
      add({.kind = trace::effect_of(call) == call_effect::registers_memory ? misuse_kind::registration_leak
                                                                           : misuse_kind::memory_leak,
           .call = call.id,
           .allocation = allocation.id},
          call.where);
    }
  }

  bool is_in_part(trace::call_id call) const {
    return std::binary_search(part_.calls.begin(), part_.calls.end(), call);
  }

  /// A call that failed made nothing, whatever the recording calls the object that it was to make.
  bool is_made_in_part(trace::call_id by) const {
    return by != 0 && is_in_part(by) && recording_.call_at(by).error_code == 0;
  }

  /// One entry a kind, line and function; what has no known line is told apart by its call.
  void add(misuse misuse, trace::location place) {
    const std::string_view function = misuse.call == 0 ? "" : name_of(recording_.call_at(misuse.call));
    const auto key = place.is_known()
                         ? std::tuple(misuse.kind, place.file, place.line, function, trace::call_id{0})
                         : std::tuple(misuse.kind, 0u, 0u, function, misuse.call);
    const auto [known, is_new] = by_line_.try_emplace(key, found_.size());
    if (is_new) {
      found_.push_back(misuse);
    } else {
      ++found_[known->second].times;
    }
  }

  const part& part_;
  const trace::recording& recording_;
  const ordering& order_;
  std::vector<misuse> found_;
  std::vector<bool> is_recorded_;       // by event id - 1: whether any record of it was issued
  std::set<trace::call_id> explained_;  // failed calls that another entry is about
  std::map<std::tuple<misuse_kind, std::uint32_t, std::uint32_t, std::string_view, trace::call_id>,
           std::size_t>
      by_line_;
};

}  // namespace

std::vector<misuse> find_misuse(const part& part, const ordering& order) {
  return misuse_search(part, order).run();
}

std::string_view rule_of(const trace::recording& recording, const misuse& found) {
  switch (found.kind) {
    case misuse_kind::reported_by_backend:
      return trace::word_of(recording.diagnostics.at(found.diagnostic).kind);
    case misuse_kind::freed_while_in_use:
      return "freed_while_in_use";
    case misuse_kind::used_after_destruction:
      return "used_after_destruction";
    case misuse_kind::unrecorded_event:
      return "unrecorded_event";
    case misuse_kind::no_time_between_events:
      return "no_time_between_events";
    case misuse_kind::failed_release:
      return "failed_release";
    case misuse_kind::unchecked_error:
      return "unchecked_error";
    case misuse_kind::stream_leak:
      return "stream_leak";
    case misuse_kind::event_leak:
      return "event_leak";
    case misuse_kind::graph_leak:
      return "graph_leak";
    case misuse_kind::registration_leak:
      return "registration_leak";
    case misuse_kind::memory_leak:
      return "memory_leak";
  }
  return "";
}

const trace::host_call* destruction_before(const trace::recording& recording, const trace::host_call& use) {
  for (const trace::call_id id : {use.stream == 0 ? 0 : recording.stream_at(use.stream).destroyed_by,
                                  use.event == 0 ? 0 : recording.event_at(use.event).destroyed_by}) {
    if (id != 0 && id < use.id) return &recording.call_at(id);
  }
  return nullptr;
}

std::vector<trace::location> places_of(const trace::recording& recording, const misuse& found) {
  std::vector<trace::location> places;
  const auto add = [&](trace::location place) {
    if (place.is_known() && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  };
  if (found.kind == misuse_kind::reported_by_backend) {
    const trace::diagnostic& note = recording.diagnostics.at(found.diagnostic);
    const std::vector<trace::location>& callers = recording.callers_of(note.where);
    // A kernel that is called like a function is itself the code that runs.
    const bool is_at_call = note.kind == trace::diagnostic_kind::kernel_not_launched && !callers.empty();
    add(is_at_call ? callers.front() : note.where);
    add(note.earlier);
  }
  add(place_of_call(recording, found.call));
  if (found.operation != 0) add(place_of_operation(recording, found.operation));
  if (found.stream != 0 && found.kind == misuse_kind::used_after_destruction)
    add(place_of_call(recording, recording.stream_at(found.stream).destroyed_by));
  if (found.event != 0 && found.kind == misuse_kind::used_after_destruction)
    add(place_of_call(recording, recording.event_at(found.event).destroyed_by));
  return places;
}

}  // namespace analysis
