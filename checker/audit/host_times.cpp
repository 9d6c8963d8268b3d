#include "audit/host_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/contradiction.h"
#include "device/host_model.h"

namespace audit {
namespace {

using trace::call_effect;
using trace::memory_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

/// What comes first of a call's look at the devices and what another thread or a host function does in the same nanosecond.
enum class tie { call_first, others_first };

/// When streams are through with what they were given.
class idle_times {
 public:
  idle_times(const trace::recording& recording, const device_replay& devices) : recording_(recording) {
    for (const trace::operation& operation : recording.operations) {
      if (devices.has_nothing_to_do(operation.id)) continue;
      const trace::stream& stream = recording.stream_at(operation.stream);
      const work added{devices.request(operation.id).issued, devices.completed(operation.id)};
      add(added, streams_[stream.id]);
      add(added, devices_[stream.device]);
      if (stream.blocking == trace::stream_blocking::blocking) add(added, blocking_[stream.device]);
    }
  }

  /// When all was complete that had been issued to the stream until `time`. The legacy default stream takes
  /// all blocking ones along.
  nanoseconds of_stream(trace::stream_id id, nanoseconds time, tie order) const {
    const trace::stream& stream = recording_.stream_at(id);
    if (stream.kind == trace::stream_kind::legacy_default)
      return end_of(blocking_, stream.device, time, order);
    return end_of(streams_, id, time, order);
  }
  nanoseconds of_device(std::uint32_t device, nanoseconds time, tie order) const {
    return end_of(devices_, device, time, order);
  }

 private:
  struct work {
    nanoseconds issued{0};
    nanoseconds completed{0};  ///< and all before it
  };
  using history = std::vector<work>;  // in the order of issue

  static void add(work added, history& before) {
    if (!before.empty()) added.completed = std::max(added.completed, before.back().completed);
    before.push_back(added);
  }

  template <typename Id>
  static nanoseconds end_of(const std::map<Id, history>& histories, Id id, nanoseconds time, tie order) {
    const auto found = histories.find(id);
    if (found == histories.end()) return nanoseconds(0);
    const nanoseconds end = order == tie::call_first ? time : time + nanoseconds(1);
    const auto later = std::partition_point(found->second.begin(), found->second.end(),
                                            [&](const work& one) { return one.issued < end; });
    return later == found->second.begin() ? nanoseconds(0) : std::prev(later)->completed;
  }

  const trace::recording& recording_;
  std::map<trace::stream_id, history> streams_;
  std::map<std::uint32_t, history> devices_;   ///< of all streams of a device
  std::map<std::uint32_t, history> blocking_;  ///< of its blocking streams
};

class host_replay {
 public:
  host_replay(const trace::recording& recording, const device::profile& gpu,
              const trace::backend_settings& settings, const device_replay& devices)
      : recording_(recording), settings_(settings), gpu_(gpu), devices_(devices), idle_(recording, devices) {}

  void run() {
    for (const trace::host_call& call : recording_.calls) last_calls_[call.thread] = call.id;
    for (const trace::operation& operation : recording_.operations) {
      if (operation.kind == operation_kind::event_record) records_[operation.event].push_back(operation.id);
    }
    for (const trace::host_call& call : recording_.calls) {
      require_order(call);
      require_times(call);
    }
    require_order_of_marks();
  }

 private:
  struct call_times {
    nanoseconds issued{0};  ///< when it issued its operation, if it did
    nanoseconds end{0};
    bool may_be_later = false;  ///< for reasons that the recording does not have
    bool has_waited = false;    ///< for operations or for room
    bool is_possible = true;    ///< false: a query gave another answer
  };
  /// How a call came out of the ties: issued by others, completed.
  struct ties {
    tie issued = tie::others_first;
    tie completed = tie::others_first;
  };

  /// Threads wait for one another and sleep between calls, so there may be a pause.
  void require_order(const trace::host_call& call) {
    require(call.start >= last_start_, call, "began before the call before it");
    require(call.end >= call.start, call, "ended before it began");
    nanoseconds& free_from = free_from_[call.thread];
    require(call.start >= free_from, call, "began before the call before it on its thread had ended");
    last_start_ = call.start;
    free_from = call.end;
  }

  void require_times(const trace::host_call& call) {
    const nanoseconds begin = begin_of_work(call);
    require_last_record(call, begin);
    // Which direction a program names is not recorded.
    const nanoseconds inside = call.start + gpu_.host_call("cudaMemcpyAsync.inside");
    if (comes_out(call, begin)) return;
    if (call.function == trace::api_function::cudaMemcpyAsync && comes_out(call, inside)) return;
    const call_times again = times_of(call, begin, {});
    if (is_open(call, again)) return;
    require(again.end < never, call, "waited for what never ended");
    if (call.operation != 0)
      require_same(recording_.operation_at(call.operation), "was issued", issued_in_recording(call, again),
                   again.issued);
    require_same(call, "ended", call.end, again.end);
    const bool is_of_answer = trace::effect_of(call) == call_effect::queries;
    require(is_of_answer, call, "says wrongly whether the host waited in it");
    throw contradiction{in_words(call) + " gave another answer than when its work is done again."};
  }

  /// A call that asks about an event means its last record. In the same nanosecond another thread can record it again.
  void require_last_record(const trace::host_call& call, nanoseconds begin) const {
    const bool is_answered = call.error_code == 0 || call.error_code == trace::not_ready;
    if (trace::traits_of(call.function).waits_for != trace::wait_target::event || !is_answered) return;
    const auto all = records_.find(call.event);
    operation_id before = 0, last = 0;
    if (all != records_.end()) {
      const auto issued = [this](operation_id id) { return devices_.request(id).issued; };
      const auto later = std::partition_point(all->second.begin(), all->second.end(),
                                              [&](operation_id id) { return issued(id) <= begin; });
      const auto tied = std::partition_point(all->second.begin(), later,
                                             [&](operation_id id) { return issued(id) < begin; });
      if (tied != all->second.begin()) before = *std::prev(tied);
      if (later != all->second.begin()) last = *std::prev(later);
    }
    require(call.captured == before || call.captured == last, call,
            "asked about another record of its event than the last");
  }

  /// Whether the call is as recorded when its own work is done at `begin`.
  bool comes_out(const trace::host_call& call, nanoseconds begin) const {
    for (const tie issued : {tie::others_first, tie::call_first}) {
      for (const tie completed : {tie::others_first, tie::call_first}) {
        if (is_as_recorded(call, times_of(call, begin, {issued, completed}))) return true;
      }
    }
    return false;
  }

  /// Whether the program ended, by another thread, before the call did.
  bool is_open(const trace::host_call& call, const call_times& again) const {
    const bool may_be_underway = again.may_be_later || again.end >= recording_.calls.back().start;
    return call.end == call.start && last_calls_.at(call.thread) == call.id && may_be_underway;
  }

  nanoseconds issued_in_recording(const trace::host_call& call, const call_times& again) const {
    return issue_time(recording_.operation_at(call.operation), gpu_).value_or(again.issued);
  }

  bool is_as_recorded(const trace::host_call& call, const call_times& again) const {
    if (!again.is_possible) return false;
    if (call.operation != 0) {
      // A call that another thread's fault makes fail has waited, or staged its source, before it issues.
      const nanoseconds issued = issued_in_recording(call, again);
      if (issued < again.issued || (issued > again.issued && call.error_code == 0)) return false;
    }
    if (again.may_be_later && call.end > again.end) return true;
    const bool says_so = !call.waited_for->empty();
    const bool always_says_so = trace::effect_of(call) == call_effect::synchronizes;
    return call.end == again.end && (call.error_code != 0 || says_so == (again.has_waited || always_says_so));
  }

  nanoseconds own_time(const trace::host_call& call) const {
    if (call.function == trace::api_function::cudaGraphAddMemcpyNode)
      return gpu_.host_call("cudaGraphAddMemcpyNode1D");
    if (trace::effect_of(call) != call_effect::records_event) return gpu_.host_call(trace::name_of(call));
    const bool is_untimed = call.event != 0 && !recording_.event_at(call.event).has_timing;
    return gpu_.host_call(is_untimed ? "cudaEventRecord.untimed" : "cudaEventRecord");
  }

  /// Threads take turns in the driver to launch.
  nanoseconds begin_of_work(const trace::host_call& call) {
    const nanoseconds cost = own_time(call);
    if (trace::effect_of(call) != call_effect::launches_kernel) return call.start + cost;
    driver_free_ = std::max(call.start, driver_free_) + cost;
    return driver_free_;
  }

  call_times times_of(const trace::host_call& call, nanoseconds begin, const ties& tied) const {
    if (trace::effect_of(call) == call_effect::queries) return of_query(call, begin, tied);
    if (call.error_code != 0) return {.issued = begin, .end = begin, .may_be_later = true};
    switch (trace::traits_of(call.function).waits_for) {
      case trace::wait_target::stream:
        require(call.stream != 0, call, "names no stream");
        return waited(begin, idle_.of_stream(call.stream, begin, tied.issued), tied);
      case trace::wait_target::event:
        return waited(begin, completed(call.captured), tied);
      case trace::wait_target::device:
        return waited(begin, idle_.of_device(call.device, begin, tied.issued), tied);
      case trace::wait_target::idle_device:
        return of_release(call, begin, tied);
      case trace::wait_target::own_operation:
      case trace::wait_target::nothing:
        break;
    }
    if (call.operation != 0) return of_issue(call, begin, tied);
    return {.issued = begin, .end = begin + time_for_bytes(call), .may_be_later = takes_unknown_time(call)};
  }

  /// Of none: nothing to wait for.
  nanoseconds completed(operation_id id) const { return id == 0 ? nanoseconds(0) : devices_.completed(id); }

  static bool waits(nanoseconds begin, nanoseconds awaited, const ties& tied) {
    return awaited > begin || (awaited == begin && tied.completed == tie::call_first);
  }
  nanoseconds returned(nanoseconds begin, nanoseconds awaited, const ties& tied) const {
    return waits(begin, awaited, tied) ? awaited + device::wait_return_latency(gpu_) : begin;
  }

  call_times waited(nanoseconds begin, nanoseconds awaited, const ties& tied) const {
    return {
        .issued = begin, .end = returned(begin, awaited, tied), .has_waited = waits(begin, awaited, tied)};
  }

  /// After many answers in a row that it is not, the host sleeps until the device does something.
  call_times of_query(const trace::host_call& call, nanoseconds begin, const ties& tied) const {
    const bool is_refused = call.error_code != 0 && call.error_code != trace::not_ready;
    if (is_refused) return {.issued = begin, .end = begin, .may_be_later = true};
    const bool is_of_event = trace::traits_of(call.function).waits_for == trace::wait_target::event;
    require(is_of_event || call.stream != 0, call, "names no stream");
    const nanoseconds awaited =
        is_of_event ? completed(call.captured) : idle_.of_stream(call.stream, begin, tied.issued);
    const bool is_complete = awaited < begin || (awaited == begin && tied.completed == tie::others_first);
    return {.issued = begin,
            .end = begin,
            .may_be_later = !is_complete,
            .is_possible = is_complete == (call.error_code == 0)};
  }

  static nanoseconds for_bytes(double ns_per_mib, std::size_t bytes) {
    return nanoseconds(std::llround(ns_per_mib * static_cast<double>(bytes) / (1 << 20)));
  }
  std::size_t beyond_the_first_block(std::size_t bytes) const {
    return bytes > gpu_.pinned_block ? bytes - gpu_.pinned_block : 0;
  }

  /// Of giving out memory.
  nanoseconds time_for_bytes(const trace::host_call& call) const {
    if (call.allocation == 0) return nanoseconds(0);
    const trace::allocation& memory = recording_.allocation_at(call.allocation);
    const call_effect effect = trace::effect_of(call);
    if (effect == call_effect::registers_memory) return for_bytes(gpu_.registration_ns_per_mib, memory.bytes);
    if (effect != call_effect::allocates) return nanoseconds(0);
    if (memory.kind == memory_kind::device) return for_bytes(gpu_.device_allocation_ns_per_mib, memory.bytes);
    if (memory.kind != memory_kind::pinned) return nanoseconds(0);
    return for_bytes(gpu_.pinned_allocation_ns_per_mib, beyond_the_first_block(memory.bytes));
  }

  bool is_of_pool(const trace::allocation& memory) const {
    return memory.allocated_by != 0 &&
           trace::traits_of(recording_.call_at(memory.allocated_by).function).names ==
               trace::named_object::stream;
  }

  call_times of_release(const trace::host_call& call, nanoseconds begin, const ties& tied) const {
    call_times times{.issued = begin, .end = begin};
    if (call.allocation == 0) return times;
    const trace::allocation& memory = recording_.allocation_at(call.allocation);
    if (!is_of_pool(memory)) times = waited(begin, idle_.of_device(memory.device, begin, tied.issued), tied);
    if (trace::effect_of(call) == call_effect::unregisters_memory) {
      times.end += for_bytes(gpu_.unregistration_ns_per_mib, memory.bytes);
    } else if (memory.kind == memory_kind::pinned) {
      times.end += for_bytes(gpu_.pinned_release_ns_per_mib, beyond_the_first_block(memory.bytes));
    }
    return times;
  }

  /// The number of nodes of a graph and how far a pool has grown are not recorded; a reset waits for the device.
  static bool takes_unknown_time(const trace::host_call& call) {
    const call_effect effect = trace::effect_of(call);
    const bool is_of_pool = effect == call_effect::allocates &&
                            trace::traits_of(call.function).names == trace::named_object::stream;
    return is_of_pool || effect == call_effect::works_on_host || effect == call_effect::instantiates_graph ||
           call.function == trace::api_function::cudaDeviceReset;
  }

  call_times of_issue(const trace::host_call& call, nanoseconds begin, const ties& tied) const {
    const trace::operation& operation = recording_.operation_at(call.operation);
    call_times times{.issued = begin, .end = begin};
    switch (operation.kind) {
      case operation_kind::kernel:
      case operation_kind::graph_launch:
        times = of_launch(operation, begin);
        break;
      case operation_kind::copy:
        return of_copy(call, operation, begin, tied);
      case operation_kind::memset: {
        const bool is_synchronous =
            trace::traits_of(call.function).waits_for == trace::wait_target::own_operation;
        times.may_be_later =
            is_synchronous && operation.destination == memory_kind::device;  // cudaDeviceSyncMemops
        if (is_synchronous && !times.may_be_later) return waited(begin, completed(operation.id), tied);
        break;
      }
      case operation_kind::allocate:
        times.may_be_later = true;
        times.issued = later_than(operation, begin);
        times.end = times.issued;
        break;
      default:
        break;
    }
    const bool is_launch =
        operation.kind == operation_kind::kernel || operation.kind == operation_kind::memset;
    if (settings_.variables.value_or(trace::cuda_variables{}).launches_block && is_launch) {
      times.has_waited = times.has_waited || waits(times.end, completed(operation.id), tied);
      times.end = returned(times.end, completed(operation.id), tied);
    }
    return times;
  }

  /// When it was issued, unless that was too early. What did not end was issued at the end of its call.
  nanoseconds later_than(const trace::operation& operation, nanoseconds time) const {
    return std::max(time, issue_time(operation, gpu_).value_or(recording_.call_at(operation.issued_by).end));
  }

  /// The first launch of a kernel loads it, which takes longer; whether it is the first only the program knows. Then a launch
  /// waits for room.
  call_times of_launch(const trace::operation& launch, nanoseconds begin) const {
    nanoseconds ready = begin;
    if (launch.kind == operation_kind::graph_launch) {
      const double more = devices_.branches(launch.id) > 1 ? devices_.branches(launch.id) - 1 : 0;
      ready += nanoseconds(std::llround(gpu_.graph_branch * more));
    }
    const nanoseconds issued = later_than(launch, ready);
    const nanoseconds loaded = ready + nanoseconds(std::llround(gpu_.first_launch));
    const bool is_first = launch.kind == operation_kind::kernel && issued >= loaded;
    if (is_first) ready = loaded;
    const bool waits_for_room = devices_.waited_for_room(launch.id) && issued > ready;
    if (waits_for_room) ready = issued;
    return {.issued = ready, .end = ready, .has_waited = waits_for_room};
  }

  call_times of_copy(const trace::host_call& call, const trace::operation& copy, nanoseconds begin,
                     const ties& tied) const {
    const device::request& request = devices_.request(copy.id);
    const bool is_synchronous =
        trace::traits_of(call.function).waits_for == trace::wait_target::own_operation;
    const bool is_late = settings_.schedule == trace::schedule_kind::late_pageable && !is_synchronous;
    const bool is_host_slower = request.host_bandwidth > 0;
    const bool is_staged_in = request.route == device::copy_route::host_to_device &&
                              (copy.source == memory_kind::pageable || copy.source == memory_kind::managed);
    if (is_staged_in && !is_late) {
      const bool waits_first = is_synchronous || copy.source == memory_kind::managed;
      const nanoseconds free =
          waits_first ? returned(begin, idle_.of_stream(copy.stream, begin, tied.issued), tied) : begin;
      device::request staged = request;
      const nanoseconds issued = free + device::stage_source(gpu_, staged);
      const nanoseconds end =
          staged.staged_bytes > 0 ? returned(issued, devices_.staged(copy.id), tied) : issued;
      return {.issued = issued, .end = end, .has_waited = true};
    }
    const bool stays_on_devices = request.route != device::copy_route::host_to_device &&
                                  request.route != device::copy_route::device_to_host &&
                                  request.route != device::copy_route::host_to_host;
    const bool is_staged_out = request.route == device::copy_route::device_to_host && is_host_slower;
    const bool waits = request.route == device::copy_route::host_to_host || (is_staged_out && !is_late) ||
                       (is_synchronous && !stays_on_devices);
    if (waits) return waited(begin, completed(copy.id), tied);
    return {.issued = begin, .end = begin, .may_be_later = is_synchronous};  // cudaDeviceSyncMemops
  }

  void require_order_of_marks() const {
    nanoseconds last{0};
    for (const trace::mark& mark : recording_.marks) {
      const auto& [name, time, after, after_operation, where] = mark;
      const bool is_behind_call = after == 0 || recording_.call_at(after).start <= time;
      const bool is_before_call =
          after == recording_.calls.size() || recording_.call_at(after + 1).start >= time;
      if (time < last || !is_behind_call || !is_before_call)
        throw contradiction{"The mark '" + name + "' is not between the calls that it names."};
      last = time;
    }
  }

  const trace::recording& recording_;
  const trace::backend_settings& settings_;
  const device::profile& gpu_;
  const device_replay& devices_;
  const idle_times idle_;
  nanoseconds last_start_{0};
  nanoseconds driver_free_{0};
  std::unordered_map<trace::thread_id, nanoseconds> free_from_;
  std::unordered_map<trace::thread_id, trace::call_id> last_calls_;
  std::unordered_map<trace::event_id, std::vector<operation_id>> records_;
};

}  // namespace

void require_times_of_calls(const trace::recording& recording, const device::profile& gpu,
                            const trace::backend_settings& settings, const device_replay& devices) {
  host_replay(recording, gpu, settings, devices).run();
}

}  // namespace audit
