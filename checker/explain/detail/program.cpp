#include "explain/detail/program.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/copy_devices.h"
#include "device/graph_branches.h"
#include "device/host_model.h"
#include "trace/call_promise.h"

namespace explain {
namespace {

using trace::call_id;
using trace::memory_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;
using trace::stream_id;

/// Whether threads go through the data in a loop: none touches so much at once, be it a vector of doubles.
bool is_loop_over_data(const trace::operation& kernel, const device::kernel_shape& shape) {
  constexpr std::uint64_t max_written = 16, max_read = 64;  // bytes a thread
  const std::uint64_t threads = shape.blocks * shape.threads_per_block;
  std::uint64_t written = 0, read = 0;
  for (const trace::access& access : kernel.accesses.value_or(std::vector<trace::access>()))
    (access.mode == trace::access_mode::read ? read : written) += access.bytes.size_bytes();
  return written > max_written * threads || read > max_read * threads;
}

/// Between two devices, whether directly or through the host shows in the time that it took.
device::copy_route route_between_devices(const device::profile& gpu, const trace::operation& copy) {
  const auto distance_to = [&](device::copy_route route) {
    return std::abs(device::latency_ns(gpu, route) + device::transfer_ns(gpu, route, copy.bytes, 0) -
                    static_cast<double>((copy.end - copy.start).count()));
  };
  return distance_to(device::copy_route::peer) <= distance_to(device::copy_route::peer_staged)
             ? device::copy_route::peer
             : device::copy_route::peer_staged;
}

device::copy_route route_of(const trace::recording& recording, const device::profile& gpu,
                            const trace::operation& copy) {
  switch (trace::direction_of(copy)) {
    case trace::copy_direction::host_to_device:
      return device::copy_route::host_to_device;
    case trace::copy_direction::device_to_host:
      return device::copy_route::device_to_host;
    case trace::copy_direction::device_to_device: {
      return analysis::devices_between(recording, copy) ? route_between_devices(gpu, copy)
                                                        : device::copy_route::device_to_device;
    }
    case trace::copy_direction::host_to_host:
      return device::copy_route::host_to_host;
  }
  return device::copy_route::host_to_host;
}

class program_builder {
 public:
  program_builder(const analysis::part& part, const device::profile& gpu)
      : part_(part), recording_(*part.recording), gpu_(gpu), begin_(analysis::begin_of_work(part)) {
    result_.streams = recording_.streams;
    result_.slower_copies = device::stress_of(recording_.schedule).copies;
    for (operation_number number = 0; number < part_.operations.size(); ++number) {
      numbers_[part_.operations[number]] = number;
      issues_of_[recording_.operation_at(part_.operations[number]).issued_by].push_back(number);
    }
    find_driver_threads();
  }

  program build() {
    if (part_.operations.empty()) return std::move(result_);
    for (const operation_id id : part_.operations) add_operation(recording_.operation_at(id));
    for (const trace::host_edge& edge : recording_.host_edges)
      edges_[{edge.to, edge.to_after}].push_back(&edge);
    const call_id first = recording_.operation_at(part_.operations.front()).issued_by;
    for (const call_id id : part_.calls) {
      if (id >= first) add_call(recording_.call_at(id));
    }
    for (const auto& [edge, step] : late_edges_) {
      const auto from = step_of_call_.find(edge->from_after);
      if (from != step_of_call_.end() && from->second < step)
        result_.steps[step].hand_overs.push_back({no_operation, from->second});
    }
    return std::move(result_);
  }

 private:
  struct place {
    trace::thread_id thread = 0;
    call_id after = 0;
    bool operator==(const place&) const = default;
  };
  struct place_hash {
    std::size_t operator()(const place& key) const {
      return std::hash<std::uint64_t>()(std::uint64_t{key.thread} << 32 | key.after);
    }
  };

  /// Threads whose every call lies inside a host function are the driver's: the function's length has it all.
  void find_driver_threads() {
    std::map<nanoseconds, nanoseconds> functions;  // they run one after another: end by start
    for (const trace::operation& operation : recording_.operations) {
      if (operation.kind == operation_kind::host_function) functions[operation.start] = operation.end;
    }
    if (functions.empty()) return;
    for (const trace::host_call& call : recording_.calls) {
      const auto after = functions.upper_bound(call.start);
      const bool is_inside =
          call.thread != 1 && after != functions.begin() && call.end <= std::prev(after)->second;
      const auto known = is_driver_.try_emplace(call.thread, true).first;
      known->second = known->second && is_inside;
    }
  }

  void add_operation(const trace::operation& operation) {
    program_operation added;
    added.recorded = operation.id;
    add_to_graph(operation, added);
    added.request.kind = operation.kind;
    added.request.stream = operation.stream;
    added.request.call = operation.issued_by;
    added.request.bytes = operation.bytes;
    switch (operation.kind) {
      case operation_kind::kernel:
        added.request.shape = {std::uint64_t{operation.grid[0]} * operation.grid[1] * operation.grid[2],
                               operation.block[0] * operation.block[1] * operation.block[2],
                               operation.shared_memory_bytes};
        if (operation.priority != recording_.stream_at(operation.stream).priority)
          added.request.priority = operation.priority;
        added.is_loop = is_loop_over_data(operation, added.request.shape);
        added.blocks =
            operation.block_times ? *operation.block_times : even_blocks(operation, added.request.shape);
        break;
      case operation_kind::copy:
      case operation_kind::prefetch:
        added.request.route = route_of(recording_, gpu_, operation);
        if (const auto devices = analysis::devices_between(recording_, operation))
          added.request.source_device = devices->source;
        break;
      case operation_kind::event_record:
        added.request.has_timing = operation.event == 0 || recording_.event_at(operation.event).has_timing;
        break;
      case operation_kind::event_wait:
        added.captured = number_of(operation.captured);
        break;
      case operation_kind::host_function:
        added.length = operation.end - operation.start;
        added.request.holds_kernels = holds_kernels(operation);
        break;
      case operation_kind::memset:
      case operation_kind::graph_launch:
      case operation_kind::allocate:
      case operation_kind::release:
      case operation_kind::attach:
        break;
    }
    result_.operations.push_back(std::move(added));
  }

  /// Graph nodes: what the launch in front of them needs to know, and which of them they follow.
  void add_to_graph(const trace::operation& operation, program_operation& added) {
    const operation_number number = static_cast<operation_number>(result_.operations.size());
    added.launch = number_of(operation.graph_launch);
    for (const operation_id id : operation.after) {
      if (number_of(id) != no_operation) added.edges.push_back(number_of(id));
    }
    if (added.launch == no_operation) return;
    if (number == added.launch + 1) branches_ = {};
    std::vector<std::size_t> nodes_before;
    for (const operation_number number : added.edges) nodes_before.push_back(number - added.launch - 1);
    added.request.branch = branches_.add(nodes_before);
    ++result_.operations[added.launch].request.nodes;
  }

  /// Measured on an H200: functions of cudaLaunchHostFunc hold up kernels of other streams, callbacks do not.
  bool holds_kernels(const trace::operation& function) const {
    const call_id call = function.graph_launch == 0 ? function.issued_by : function.defined_by;
    return call != 0 && trace::effect_of(recording_.call_at(call)) != trace::call_effect::queues_callback;
  }

  /// Where the backend could not see single blocks: all alike, in as many waves as the GPU needs.
  std::vector<trace::block_time> even_blocks(const trace::operation& kernel,
                                             const device::kernel_shape& shape) const {
    const auto at_once =
        static_cast<double>(std::max<std::uint64_t>(1, resident_blocks(gpu_, shape))) * gpu_.multiprocessors;
    const auto waves = static_cast<std::int64_t>(std::ceil(static_cast<double>(shape.blocks) / at_once));
    return {{shape.blocks, (kernel.end - kernel.start) / std::max<std::int64_t>(1, waves)}};
  }

  operation_number number_of(operation_id id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? no_operation : found->second;
  }

  void add_call(const trace::host_call& call) {
    const auto driver = is_driver_.find(call.thread);
    if (driver != is_driver_.end() && driver->second) return;
    if (continues_polling(call)) return extend_polling(call);
    const auto index = static_cast<std::uint32_t>(result_.steps.size());
    program_step& step = result_.steps.emplace_back();
    step.call = call.id;
    step.thread = call.thread;
    step.device = device_of(call);
    add_pause(call, index);
    add_issues(call, step);
    add_waits(call, step);
    add_times(call, step);
    step.holds_back_old_gpus = call.allocation != 0 &&
                               recording_.allocation_at(call.allocation).allocated_by == call.id &&
                               trace::effect_of(call) == trace::call_effect::allocates;
    step_of_call_[call.id] = index;
    last_step_[call.thread] = index;
  }

  /// Queries one after another that ask the same are one wait.
  bool continues_polling(const trace::host_call& call) const {
    const auto last = last_step_.find(call.thread);
    if (trace::effect_of(call) != trace::call_effect::queries || last == last_step_.end()) return false;
    const trace::host_call& before = recording_.call_at(result_.steps[last->second].call);
    return before.function == call.function && before.error_code == trace::not_ready &&
           before.stream == call.stream && before.event == call.event;
  }
  void extend_polling(const trace::host_call& call) {
    const std::uint32_t index = last_step_.at(call.thread);
    program_step& step = result_.steps[index];
    step.call = call.id;
    step_of_call_[call.id] = index;
    add_waits(call, step);
    const nanoseconds released = end_of(step.waits);
    step.return_at_once = nanoseconds(0);
    step.return_waited = released < call.end ? call.end - std::max(released, call.start) : nanoseconds(0);
  }

  /// The host time since the call before, apart from waiting for other threads and host functions.
  void add_pause(const trace::host_call& call, std::uint32_t index) {
    program_step& step = result_.steps[index];
    const auto last = last_step_.find(call.thread);
    const call_id previous = last == last_step_.end() ? 0 : result_.steps[last->second].call;
    nanoseconds free = previous == 0 ? begin_ : recording_.call_at(previous).end;
    const auto edges = edges_.find({call.thread, previous});
    if (edges != edges_.end()) {
      for (const trace::host_edge* edge : edges->second) {
        if (edge->from_operation != 0) {
          const operation_number function = number_of(edge->from_operation);
          if (function == no_operation) continue;
          step.hand_overs.push_back({function, 0});
          free = std::max(free, recording_.operation_at(edge->from_operation).end);
        } else if (edge->from_after != 0) {
          late_edges_.push_back({edge, index});
          free = std::max(free, recording_.call_at(edge->from_after).end);
        }
      }
    }
    step.pause = std::max(nanoseconds(0), call.start - free);
  }

  void add_issues(const trace::host_call& call, program_step& step) {
    const auto issues = issues_of_.find(call.id);
    if (issues == issues_of_.end()) return;
    for (const operation_number number : issues->second) {
      step.issues.push_back(number);
      const trace::operation& issued = recording_.operation_at(part_.operations[number]);
      if (issued.kind == operation_kind::copy && issued.source && issued.destination)
        add_staging(call, issued, step);
      if (issued.graph_launch != 0) continue;
      operation_number& tail = tails_.try_emplace(issued.stream, number).first->second;
      tail = std::max(tail, number);
    }
  }

  /// How copies of pageable memory keep the host. @see CUDA Runtime API, "API synchronization behavior"
  void add_staging(const trace::host_call& call, const trace::operation& copy, program_step& step) {
    device::request& request = result_.operations[step.issues.back()].request;
    const bool is_late = recording_.schedule == trace::schedule_kind::late_pageable &&
                         trace::promise_of(recording_, call) == trace::call_promise::nothing;
    if (request.route == device::copy_route::host_to_device && copy.source == memory_kind::pageable) {
      if (is_late) {
        request.host_bandwidth = device::staging_bandwidth(gpu_, request.route);
        return;
      }
      if (trace::promise_of(recording_, call) == trace::call_promise::source_staged) {
        step.needs = tails_of_synchronization(call.stream);
      }
      step.staging = device::stage_source(gpu_, request);
      step.waits_until_staged = request.staged_bytes > 0;
    } else if (request.route == device::copy_route::device_to_host &&
               copy.destination == memory_kind::pageable) {
      request.host_bandwidth = device::staging_bandwidth(gpu_, request.route);
      if (!is_late) step.waits.push_back(step.issues.back());
    }
  }

  void add_waits(const trace::host_call& call, program_step& step) {
    switch (trace::promise_of(recording_, call)) {
      case trace::call_promise::stream:
        step.waits = tails_of_synchronization(call.stream);
        break;
      case trace::call_promise::event:
        if (number_of(call.captured) != no_operation) step.waits = {number_of(call.captured)};
        break;
      case trace::call_promise::device:
        step.waits = tails_of_device(step.device);
        break;
      case trace::call_promise::own_operation:
        if (step.waits.empty() && !step.issues.empty()) step.waits = {step.issues.back()};
        break;
      case trace::call_promise::source_staged:
        break;
      case trace::call_promise::nothing:
        if (trace::waits_for_idle_device(recording_, call)) step.waits = tails_of_device(step.device);
        break;
    }
  }

  std::uint32_t device_of(const trace::host_call& call) const {
    if (call.operation != 0) return recording_.operation_at(call.operation).device;
    if (call.allocation != 0) return recording_.allocation_at(call.allocation).device;
    return call.stream == 0 ? call.device : recording_.stream_at(call.stream).device;
  }

  /// What a synchronization of the stream waits for: the legacy default stream takes all blocking ones along.
  std::vector<operation_number> tails_of_synchronization(stream_id stream) const {
    std::vector<operation_number> tails;
    const trace::stream& of = recording_.stream_at(stream);
    const bool is_legacy = of.kind == trace::stream_kind::legacy_default;
    for (const auto& [id, tail] : tails_) {
      const trace::stream& other = recording_.stream_at(id);
      const bool is_waited_for = id == stream || (is_legacy && other.device == of.device &&
                                                  other.blocking == trace::stream_blocking::blocking);
      if (is_waited_for) tails.push_back(tail);
    }
    std::sort(tails.begin(), tails.end());
    return tails;
  }
  std::vector<operation_number> tails_of_device(std::uint32_t device) const {
    std::vector<operation_number> tails;
    for (const auto& [id, tail] : tails_) {
      if (recording_.stream_at(id).device == device) tails.push_back(tail);
    }
    std::sort(tails.begin(), tails.end());
    return tails;
  }

  nanoseconds end_of(const std::vector<operation_number>& all) const {
    nanoseconds last{0};
    for (const operation_number number : all)
      last = std::max(last, recording_.operation_at(result_.operations[number].recorded).end);
    return last;
  }

  /// When the call issued, or began to wait; and what it took after the wait.
  void add_times(const trace::host_call& call, program_step& step) {
    nanoseconds issued = call.start + std::min(call.end - call.start, gpu_.host_call(name_of(call)));
    if (!step.issues.empty()) {
      const trace::operation& first = recording_.operation_at(part_.operations[step.issues.front()]);
      const nanoseconds latency = device::issue_latency(gpu_, first.kind);
      const nanoseconds at = std::clamp(first.issued - latency, call.start, call.end);
      const bool is_measured = step.needs.empty() && !may_have_waited_for_room(first);
      step.cost =
          is_measured ? at - call.start - std::min(at - call.start, step.staging) : issued - call.start;
      issued = at;
    } else {
      const bool waits = !step.waits.empty();
      step.cost = (waits ? issued : call.end) - call.start;
      if (!waits) issued = call.end;
    }
    const nanoseconds released = std::max(issued, end_of(step.waits));
    const bool waited = released > issued && released <= call.end;
    step.return_waited = waited ? call.end - released : device::wait_return_latency(gpu_);
    step.return_at_once = waited || step.waits_until_staged ? nanoseconds(0) : call.end - issued;
  }
  bool may_have_waited_for_room(const trace::operation& issued) const {
    return (issued.kind == operation_kind::kernel || issued.kind == operation_kind::graph_launch) &&
           part_.operations.size() > static_cast<std::size_t>(gpu_.launch_queue);
  }

  const analysis::part& part_;
  const trace::recording& recording_;
  const device::profile& gpu_;
  nanoseconds begin_{0};
  program result_;
  std::unordered_map<operation_id, operation_number> numbers_;
  std::unordered_map<call_id, std::vector<operation_number>> issues_of_;
  std::unordered_map<trace::thread_id, bool> is_driver_;
  std::unordered_map<place, std::vector<const trace::host_edge*>, place_hash> edges_;
  std::vector<std::pair<const trace::host_edge*, std::uint32_t>> late_edges_;  // and the step they release
  std::unordered_map<call_id, std::uint32_t> step_of_call_;
  std::unordered_map<trace::thread_id, std::uint32_t> last_step_;
  std::unordered_map<stream_id, operation_number> tails_;  // of what was issued so far
  device::graph_branches branches_;                        // of the graph launch at hand
};

}  // namespace

program program_of(const analysis::part& part, const device::profile& gpu) {
  return program_builder(part, gpu).build();
}

}  // namespace explain
