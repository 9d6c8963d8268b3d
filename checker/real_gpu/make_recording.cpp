#include "real_gpu/make_recording.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

#include "trace/call_promise.h"
#include "trace/wrong_copy_kind.h"

namespace real_gpu {
namespace {

using trace::operation_kind;

struct free_text {
  void operator()(char* text) const { std::free(text); }
};

/// The text without what stands between angle brackets.
std::string without_template_arguments(std::string_view text) {
  std::string left;
  int depth = 0;
  for (const char letter : text) {
    if (letter == '<') ++depth;
    if (depth == 0) left += letter;
    if (letter == '>') --depth;
  }
  return left;
}

class assembler {
 public:
  explicit assembler(const raw_run& run) : run_(run) {}

  trace::recording result() {
    recording_.backend = "cupti";
    recording_.files = {{}, {"@code"}};  // resolved by the checker: exercise/source_lines.h
    recording_.devices = run_.devices;
    recording_.diagnostics = run_.notes;
    add_stream(trace::stream_kind::legacy_default, trace::stream_blocking::blocking, 0, 0, 0);
    for (const raw_activity& activity : run_.activities)
      activities_[activity.correlation].push_back(&activity);
    for (auto& [correlation, records] : activities_) {
      std::stable_sort(records.begin(), records.end(),
                       [](const auto* one, const auto* two) { return one->start < two->start; });
    }
    for (const raw_call& call : run_.calls) {
      take_names_before(recording_.calls.size());
      add_call(call);
    }
    take_names_before(run_.calls.size());
    place_events();
    infer_waits();
    add_marks();
    say_what_is_missing();
    for (const trace::operation& operation : recording_.operations)
      recording_.end = std::max(recording_.end, operation.end);
    for (const trace::host_call& call : recording_.calls) recording_.end = std::max(recording_.end, call.end);
    for (const trace::mark& mark : recording_.marks) recording_.end = std::max(recording_.end, mark.time);
    return std::move(recording_);
  }

 private:
  trace::stream_id add_stream(trace::stream_kind kind, trace::stream_blocking blocking, int priority,
                              std::uint32_t device, trace::call_id by) {
    trace::stream added;
    added.id = static_cast<trace::stream_id>(recording_.streams.size() + 1);
    added.device = device;
    added.kind = kind;
    added.blocking = blocking;
    added.priority = priority;
    added.created_by = by;
    recording_.streams.push_back(added);
    return added.id;
  }

  /// The id of a live stream; 0 when the handle is none.
  trace::stream_id stream_of(handle object) {
    constexpr handle legacy_by_name = 1;  // the value of cudaStreamLegacy
    if (object == legacy_stream || object == legacy_by_name) return 1;
    if (object == per_thread_stream && streams_.count(object) == 0) {
      streams_[object] =
          add_stream(trace::stream_kind::per_thread_default, trace::stream_blocking::blocking, 0, 0, 0);
    }
    const auto found = streams_.find(object);
    return found == streams_.end() ? 0 : found->second;
  }

  /// Names what handles meant after so many calls.
  void take_names_before(std::size_t calls) {
    for (; names_taken_ < run_.names.size() && run_.names[names_taken_].calls_before <= calls;
         ++names_taken_) {
      const raw_name& raw = run_.names[names_taken_];
      if (raw.kind == named::stream) {
        const trace::stream_id stream = stream_of(raw.object);
        if (stream != 0) recording_.streams[stream - 1].name = raw.name;
      } else if (const trace::allocation_id holder = allocation_that_holds(raw.object); holder != 0) {
        recording_.allocations[holder - 1].name = raw.name;
      }
    }
  }

  /// The live allocation with that address; 0 when there is none.
  trace::allocation_id allocation_that_holds(handle address) const {
    for (const auto& [begin, id] : allocations_) {
      if (begin <= address && address - begin < recording_.allocations[id - 1].bytes) return id;
    }
    return 0;
  }

  template <typename Id>
  static Id id_of(const std::unordered_map<handle, Id>& live, handle object) {
    const auto found = live.find(object);
    return found == live.end() ? Id{0} : found->second;
  }

  void add_call(const raw_call& raw) {
    trace::host_call call;
    call.id = static_cast<trace::call_id>(recording_.calls.size() + 1);
    call.function = trace::function_named(raw.name);
    if (call.function == trace::api_function::other) call.other_name = raw.name;
    call.thread = raw.thread;
    call.start = raw.start;
    call.end = raw.end;
    call.error_code = raw.error_code;
    if (raw.error_code != 0) {
      const auto name = run_.error_names.find(raw.error_code);
      if (name != run_.error_names.end()) call.error_name = name->second;
    }
    if (raw.code_address != 0) call.where = {1, static_cast<std::uint32_t>(raw.code_address)};
    call.device = raw.device;
    if (raw.is_in_host_function) {
      recording_.diagnostics.push_back({trace::diagnostic_kind::cuda_call_in_host_function,
                                        "a host function called " + raw.name + ", which it must not", call.id,
                                        call.where});
    }
    if (raw.error_code == 0) create_what_it_made(raw, call);
    if (raw.stream) call.stream = stream_of(*raw.stream);
    call.event = id_of(events_, raw.event);
    if (trace::traits_of(call.function).waits_for == trace::wait_target::event)
      call.captured = last_record(call.event);
    if (raw.error_code == 0) {
      note_wrong_copy_kind(raw, call);
      add_operations(raw, call);
      forget_what_it_ended(raw, call);
    }
    recording_.calls.push_back(std::move(call));
  }

  /// Of memory that CUDA allocated or registered: of a copy of other memory nothing is said.
  void note_wrong_copy_kind(const raw_call& raw, const trace::host_call& call) {
    if (!raw.direction) return;
    const trace::allocation_id source = allocation_that_holds(raw.source);
    const trace::allocation_id destination = allocation_that_holds(raw.destination);
    if (source == 0 || destination == 0) return;
    const std::string message = trace::wrong_copy_kind(
        recording_.allocation_at(source).kind, recording_.allocation_at(destination).kind, *raw.direction);
    if (message.empty()) return;
    recording_.diagnostics.push_back({trace::diagnostic_kind::wrong_copy_kind, message, call.id, call.where});
  }

  trace::operation_id last_record(trace::event_id event) const {
    const auto found = records_.find(event);
    return found == records_.end() ? 0 : found->second;
  }

  void create_what_it_made(const raw_call& raw, trace::host_call& call) {
    switch (raw.did) {
      case effect::creates_stream: {
        // "Clamped" to what the device allows (Runtime API, cudaStreamCreateWithPriority).
        const int priority = std::clamp(raw.priority, run_.most_urgent_priority, run_.least_urgent_priority);
        streams_[*raw.stream] =
            add_stream(trace::stream_kind::created, raw.blocking, priority, raw.device, call.id);
        break;
      }
      case effect::creates_event: {
        const auto id = static_cast<trace::event_id>(recording_.events.size() + 1);
        recording_.events.push_back({id, raw.device, raw.has_timing, call.id, 0});
        events_[raw.event] = id;
        break;
      }
      case effect::allocates: {
        const auto id = static_cast<trace::allocation_id>(recording_.allocations.size() + 1);
        recording_.allocations.push_back({id, raw.memory_kind, raw.device, raw.bytes, call.id, 0});
        allocations_[raw.memory] = id;
        call.allocation = id;
        break;
      }
      default:
        break;
    }
  }

  void forget_what_it_ended(const raw_call& raw, trace::host_call& call) {
    switch (raw.did) {
      case effect::destroys_stream:
        if (call.stream != 0) recording_.streams[call.stream - 1].destroyed_by = call.id;
        streams_.erase(*raw.stream);
        break;
      case effect::destroys_event:
        if (call.event != 0) recording_.events[call.event - 1].destroyed_by = call.id;
        events_.erase(raw.event);
        break;
      case effect::frees:
        call.allocation = id_of(allocations_, raw.memory);
        if (call.allocation != 0) recording_.allocations[call.allocation - 1].freed_by = call.id;
        allocations_.erase(raw.memory);
        break;
      default:
        break;
    }
  }

  trace::operation& add_operation(operation_kind kind, trace::host_call& call) {
    trace::operation added;
    added.id = static_cast<trace::operation_id>(recording_.operations.size() + 1);
    added.kind = kind;
    added.stream = call.stream;
    added.device = call.device;
    added.issued_by = call.id;
    added.priority = recording_.stream_at(call.stream).priority;
    added.issued = call.end;
    if (call.operation == 0) call.operation = added.id;
    recording_.operations.push_back(std::move(added));
    return recording_.operations.back();
  }

  /// Effects that are operations without any activity record.
  static bool is_work_itself(effect did) {
    return did == effect::records_event || did == effect::waits_for_event ||
           did == effect::queues_host_function;
  }

  /// Whether the call adds to a graph, or begins or ends a capture: then the device does nothing for it. An event recorded in a
  /// stream that captures takes the streams that wait for it along.
  bool is_captured(const raw_call& raw, const trace::host_call& call) {
    if (raw.did == effect::begins_capture) {
      capturing_[call.stream] = call.id;
      return true;
    }
    if (raw.did == effect::waits_for_event) {
      if (const auto event = captured_events_.find(call.event); event != captured_events_.end())
        capturing_[call.stream] = event->second;
    }
    const auto found = capturing_.find(call.stream);
    if (found == capturing_.end()) {
      if (raw.did == effect::records_event) captured_events_.erase(call.event);
      return false;
    }
    const trace::call_id capture = found->second;
    if (raw.did == effect::records_event) captured_events_[call.event] = capture;
    if (raw.did == effect::ends_capture) {
      std::erase_if(capturing_, [&](const auto& stream) { return stream.second == capture; });
      std::erase_if(captured_events_, [&](const auto& event) { return event.second == capture; });
    }
    return true;
  }

  void add_operations(const raw_call& raw, trace::host_call& call) {
    if (call.stream != 0 && is_captured(raw, call)) return;
    const auto found = activities_.find(raw.correlation);
    const bool has_activities = raw.correlation != 0 && found != activities_.end();
    if (call.stream == 0 && (has_activities || is_work_itself(raw.did))) {
      if (raw.did == effect::records_event) records_.erase(call.event);  // the one before it is not the last
      recording_.diagnostics.push_back(
          {trace::diagnostic_kind::not_attributed,
           "the device worked for " + raw.name + ", and in which stream is not known; this work is left out",
           call.id, call.where});
      return;
    }
    if (raw.did == effect::launches_graph) {
      if (has_activities) add_graph(found->second, call);
    } else if (has_activities) {
      for (const raw_activity* activity : found->second) add_activity(*activity, call);
    } else if (trace::effect_of(call) == trace::call_effect::launches_kernel) {
      ++launches_without_record_;
    }
    switch (raw.did) {
      case effect::records_event: {
        trace::operation& record = add_operation(operation_kind::event_record, call);
        record.event = call.event;
        if (call.event != 0) records_[call.event] = record.id;
        break;
      }
      case effect::waits_for_event: {
        trace::operation& wait = add_operation(operation_kind::event_wait, call);
        wait.event = call.event;
        wait.captured = last_record(call.event);
        break;
      }
      case effect::queues_host_function: {
        const raw_host_function& function = run_.host_functions.at(raw.host_function);
        if (!function.end) break;  // it never ran
        trace::operation& added = add_operation(operation_kind::host_function, call);
        added.start = function.start;
        added.end = *function.end;
        added.issued = std::min(call.end, added.start);
        break;
      }
      default:
        break;
    }
  }

  void add_activity(const raw_activity& activity, trace::host_call& call) {
    // The pieces in which pageable memory is copied are one copy of the program.
    if (activity.kind == operation_kind::copy && call.operation != 0) {
      trace::operation& whole = recording_.operations[call.operation - 1];
      whole.end = std::max(whole.end, activity.end);
      whole.bytes += activity.bytes;
      return;
    }
    fill(add_operation(activity.kind, call), activity, call);
  }

  /// The launch, and the nodes that left a record; which of them depends on which is not known.
  void add_graph(const std::vector<const raw_activity*>& nodes, trace::host_call& call) {
    const trace::operation_id launch = add_operation(operation_kind::graph_launch, call).id;
    nanoseconds end{0};
    for (const raw_activity* activity : nodes) {
      trace::operation& node = add_operation(activity->kind, call);
      fill(node, *activity, call);
      node.graph_launch = launch;
      end = std::max(end, node.end);
    }
    trace::operation& whole = recording_.operations[launch - 1];
    whole.start = recording_.operations[launch].start;
    whole.end = end;
    whole.issued = std::min(call.end, whole.start);
  }

  static void fill(trace::operation& added, const raw_activity& activity, const trace::host_call& call) {
    added.device = activity.device;
    // CUPTI may lose the times of a record, after cudaDeviceReset() for example: it took no time then, at its call.
    const bool is_timed = activity.start >= nanoseconds(0);
    added.start = is_timed ? activity.start : call.end;
    added.end = is_timed ? std::max(activity.start, activity.end) : call.end;
    added.issued = std::min(call.end, added.start);
    added.bytes = activity.bytes;
    added.source = activity.source;
    added.destination = activity.destination;
    added.grid = activity.grid;
    added.block = activity.block;
    added.shared_memory_bytes = activity.shared_memory_bytes;
    if (activity.kind == operation_kind::kernel) added.name = plain_kernel_name(activity.name);
  }

  /// Whether the order of streams puts all earlier work of `before` in front of work of `later`.
  bool is_ordered_behind(const trace::stream& later, const trace::stream& before) const {
    if (later.id == before.id) return true;
    if (later.device != before.device) return false;
    const auto is_legacy = [](const trace::stream& stream) {
      return stream.kind == trace::stream_kind::legacy_default;
    };
    const auto blocks = [](const trace::stream& stream) {
      return stream.blocking == trace::stream_blocking::blocking;
    };
    return (is_legacy(later) && blocks(before)) || (is_legacy(before) && blocks(later));
  }

  void place_events() {
    std::vector<nanoseconds> busy_until(recording_.streams.size() + 1, nanoseconds(0));
    for (trace::operation& operation : recording_.operations) {
      if (operation.kind == operation_kind::event_record || operation.kind == operation_kind::event_wait) {
        operation.start = operation.issued;
        for (const trace::stream& other : recording_.streams) {
          if (is_ordered_behind(recording_.stream_at(operation.stream), other)) {
            operation.start = std::max(operation.start, busy_until[other.id]);
          }
        }
        operation.end = operation.start;
        if (operation.captured != 0)
          operation.end = std::max(operation.start, recording_.operation_at(operation.captured).end);
      }
      busy_until[operation.stream] = std::max(busy_until[operation.stream], operation.end);
    }
  }

  /// What the host waited for in each call: what the call promises, and what its times show where it promises nothing.
  void infer_waits() {
    std::vector<trace::operation_id> tails(recording_.streams.size() + 1,
                                           0);  // by stream, of what was issued so far
    auto next = recording_.operations.begin();
    for (trace::host_call& call : recording_.calls) {
      for (; next != recording_.operations.end() && next->issued_by <= call.id; ++next) {
        if (next->graph_launch == 0) tails[next->stream] = next->id;
      }
      call.waited_for = waits_of(call, tails);
    }
  }

  std::vector<trace::constraint> waits_of(const trace::host_call& call,
                                          const std::vector<trace::operation_id>& tails) const {
    if (trace::effect_of(call) == trace::call_effect::queries) return {};
    std::vector<trace::operation_id> awaited;
    switch (trace::promise_of(recording_, call)) {
      case trace::call_promise::stream:
        for (const trace::stream& stream : recording_.streams) {
          const bool is_awaited =
              call.stream != 0 && is_ordered_behind(recording_.stream_at(call.stream), stream);
          const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
          if (is_awaited && (stream.id == call.stream || !is_legacy)) awaited.push_back(tails[stream.id]);
        }
        return completions(call, awaited);
      case trace::call_promise::event:
        return completions(call, {call.captured});
      case trace::call_promise::device:
        for (const trace::stream& stream : recording_.streams) {
          if (stream.device == call.device) awaited.push_back(tails[stream.id]);
        }
        return completions(call, awaited);
      case trace::call_promise::own_operation:
        return completions(call, {call.operation});
      case trace::call_promise::source_staged:
        return {staging_in(call)};
      case trace::call_promise::nothing:
        break;
    }
    if (trace::waits_for_idle_device(recording_, call)) return implicit_waits(call, tails);
    return was_staged_in(call) ? std::vector{staging_in(call)} : std::vector<trace::constraint>();
  }

  /// What of that was unfinished at the call. An entry without an operation when nothing was.
  std::vector<trace::constraint> completions(const trace::host_call& call,
                                             std::vector<trace::operation_id> awaited) const {
    std::erase(awaited, trace::operation_id{0});
    const auto end_of = [&](trace::operation_id id) { return recording_.operation_at(id).end; };
    std::stable_sort(awaited.begin(), awaited.end(), [&](trace::operation_id one, trace::operation_id two) {
      return end_of(one) > end_of(two);
    });
    std::vector<trace::constraint> waits;
    for (const trace::operation_id id : awaited) {
      if (end_of(id) > call.start) waits.push_back({trace::constraint_kind::completion, id, 0, end_of(id)});
    }
    if (waits.empty()) waits.push_back({trace::constraint_kind::completion, 0, 0, call.start});
    return waits;
  }

  /// Releases of memory return when the device is idle.
  std::vector<trace::constraint> implicit_waits(const trace::host_call& call,
                                                const std::vector<trace::operation_id>& tails) const {
    std::vector<trace::constraint> waits;
    for (const trace::operation_id id : tails) {
      if (id == 0) continue;
      const trace::operation& tail = recording_.operation_at(id);
      if (tail.device == call.device && call.start < tail.end && tail.end <= call.end)
        waits.push_back({trace::constraint_kind::implicit_synchronization, id, 0, tail.end});
    }
    std::stable_sort(waits.begin(), waits.end(),
                     [](const auto& one, const auto& two) { return one.until > two.until; });
    return waits;
  }

  /// Whether an asynchronous copy of pageable memory kept the host: it came back after the end, or was in the
  /// call for most of the copy.
  bool was_staged_in(const trace::host_call& call) const {
    if (call.operation == 0) return false;
    const trace::operation& copy = recording_.operation_at(call.operation);
    const bool is_pageable =
        copy.source == trace::memory_kind::pageable || copy.destination == trace::memory_kind::pageable;
    if (copy.kind != operation_kind::copy || !is_pageable) return false;
    const nanoseconds together = std::min(copy.end, call.end) - std::max(copy.start, call.start);
    return call.end >= copy.end || together * 2 > call.end - call.start;
  }
  trace::constraint staging_in(const trace::host_call& call) const {
    return {trace::constraint_kind::staging, call.operation, call.id,
            std::min(call.end, recording_.operation_at(call.operation).end)};
  }

  void add_marks() {
    for (const raw_mark& mark : run_.marks) {
      const auto after = static_cast<trace::call_id>(mark.calls_before);
      const auto next =
          std::find_if(recording_.operations.begin(), recording_.operations.end(),
                       [&](const trace::operation& issued) { return issued.issued_by > after; });
      recording_.marks.push_back({mark.name, mark.time, after,
                                  static_cast<trace::operation_id>(next - recording_.operations.begin())});
    }
  }

  void say_what_is_missing() {
    if (!run_.refusal.empty()) {
      recording_.diagnostics.push_back({trace::diagnostic_kind::not_recorded, run_.refusal, 0, {}});
      return;
    }
    const std::size_t lost = std::max(run_.lost_records, launches_without_record_);
    if (lost == 0) return;
    recording_.diagnostics.push_back(
        {trace::diagnostic_kind::lost_records,
         std::to_string(lost) + " of the records of the device's work are missing",
         0,
         {}});
  }

  const raw_run& run_;
  trace::recording recording_;
  std::unordered_map<std::uint32_t, std::vector<const raw_activity*>> activities_;  // by correlation
  std::unordered_map<handle, trace::stream_id> streams_;                            // live
  std::unordered_map<handle, trace::event_id> events_;                              // live
  std::unordered_map<handle, trace::allocation_id> allocations_;                    // live
  std::unordered_map<trace::event_id, trace::operation_id> records_;  // the last one of each event
  std::unordered_map<trace::stream_id, trace::call_id> capturing_;    // which capture a stream takes part in
  std::unordered_map<trace::event_id, trace::call_id> captured_events_;  // recorded in a stream that captures
  std::size_t launches_without_record_ = 0;
  std::size_t names_taken_ = 0;
};

}  // namespace

trace::recording make_recording(const raw_run& run) { return assembler(run).result(); }

std::string plain_kernel_name(std::string_view mangled) {
  int status = 0;
  const std::unique_ptr<char, free_text> readable(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status));
  if (status != 0 || !readable) return std::string(mangled);
  // "void (anonymous namespace)::scale<float>(float*, int)"
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string text = readable.get();
  for (std::size_t place; (place = text.find(unnamed)) != std::string::npos;)
    text.erase(place, unnamed.size());
  text = without_template_arguments(text);
  text = text.substr(0, text.find('('));
  if (const std::size_t space = text.rfind(' '); space != std::string::npos) text.erase(0, space + 1);
  if (const std::size_t colon = text.rfind("::"); colon != std::string::npos) text.erase(0, colon + 2);
  return text;
}

}  // namespace real_gpu
