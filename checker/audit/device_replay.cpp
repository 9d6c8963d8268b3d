#include "audit/device_replay.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "audit/contradiction.h"
#include "device/copy_engine.h"
#include "device/host_model.h"

namespace audit {
namespace {

using trace::memory_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

/// More than a program can cause within its CPU time: a recording with more was not made by a run.
constexpr std::uint64_t max_steps = 50'000'000, max_blocks_of_one_kernel = 50'000'000;

bool is_staged(memory_kind host) { return host == memory_kind::pageable || host == memory_kind::managed; }

/// The device of the source of a copy to another device, as its accesses say. Without any it did nothing.
std::optional<std::uint32_t> source_device_of(const trace::recording& recording,
                                              const trace::operation& copy) {
  if (!copy.accesses || copy.accesses->size() != 2) return std::nullopt;
  const auto device_of = [&](const trace::access& side) {
    return recording.allocation_at(side.allocation).device;
  };
  const std::uint32_t source = device_of(copy.accesses->front());
  return source == device_of(copy.accesses->back()) ? std::nullopt : std::optional(source);
}

/// The routes that are possible: which side managed memory is on, and whether a copy between devices is direct, is not recorded.
std::vector<device::copy_route> routes_of(const trace::recording& recording, const trace::operation& copy) {
  using enum device::copy_route;
  std::vector<device::copy_route> routes;
  const auto can_be = [](memory_kind kind, bool is_on_device) {
    return kind == memory_kind::managed || is_on_device == (kind == memory_kind::device);
  };
  for (const bool is_source_on_device : {false, true}) {
    for (const bool is_destination_on_device : {false, true}) {
      if (!can_be(*copy.source, is_source_on_device) || !can_be(*copy.destination, is_destination_on_device))
        continue;
      if (!is_source_on_device) {
        routes.push_back(is_destination_on_device ? host_to_device : host_to_host);
      } else if (!is_destination_on_device) {
        routes.push_back(device_to_host);
      } else if (source_device_of(recording, copy)) {
        routes.insert(routes.end(), {peer, peer_staged});
      } else {
        routes.push_back(device_to_device);
      }
    }
  }
  return routes;
}

}  // namespace

std::optional<nanoseconds> issue_time(const trace::operation& operation, const device::profile& gpu) {
  if (!trace::has_ended(operation)) return std::nullopt;
  return operation.issued - device::issue_latency(gpu, operation.kind);
}

device_replay::device_replay(const trace::recording& recording, const device::profile& gpu,
                             const trace::backend_settings& settings)
    : recording_(recording),
      settings_(settings),
      gpu_(gpu),
      schedule_(std::vector<device::profile>(settings.devices, gpu_),
                {.start = nullptr,
                 .finish = [this](operation_id id) { compare(id); },
                 .run_kernel = [this](operation_id id) { return work_of(id); },
                 .run_host_function =
                     [this](operation_id id) {
                       const trace::operation& function = recording_.operation_at(id);
                       if (trace::has_ended(function)) schedule_.end_host_function(id, function.end);
                     }},
                {.copies = device::stress_of(settings.schedule).copies, .kernels = 1},
                settings.variables.value_or(trace::cuda_variables{}).work_queues),
      completed_(recording.operations.size(), never),
      staged_(recording.operations.size(), never),
      waited_for_room_(recording.operations.size()),
      has_nothing_to_do_(recording.operations.size()),
      has_ended_(recording.operations.size()) {
  requests_.reserve(recording.operations.size());
  for (const trace::stream& stream : recording_.streams) schedule_.add_stream(stream);
  if (!gpu_.implicit_synchronization) return;
  for (const trace::host_call& call : recording_.calls) {
    const trace::api_function_traits& traits = trace::traits_of(call.function);
    const bool is_of_pool = traits.names == trace::named_object::stream;
    if (traits.effect == trace::call_effect::allocates && !is_of_pool && call.allocation != 0)
      allocations_.push_back(&call);
  }
  std::reverse(allocations_.begin(), allocations_.end());
}

void device_replay::run() {
  for (const trace::operation& operation : recording_.operations) issue(operation);
  while (schedule_.next_time()) step();
  for (const trace::operation& operation : recording_.operations) {
    const bool has_ended = has_ended_[operation.id - 1];
    require(has_ended || !trace::has_ended(operation), operation,
            "ended in the recording and not when its work is done again");
  }
}

void device_replay::step() {
  if (++steps_ > max_steps) throw contradiction{"The recording has more work than a run can do."};
  schedule_.step();
  note_completions();
}

void device_replay::advance_to(nanoseconds time) {
  while (schedule_.next_time() && *schedule_.next_time() <= time) step();
  schedule_.advance_to(time);
}

void device_replay::note_completions() {
  std::erase_if(not_signalled_, [this](operation_id id) {
    const bool is_complete = schedule_.is_complete(id);
    if (is_complete) completed_[id - 1] = schedule_.now();
    return is_complete;
  });
  std::erase_if(in_staging_, [this](operation_id id) {
    const bool is_staged = schedule_.is_staged(id);
    if (is_staged) staged_[id - 1] = schedule_.now();
    return is_staged;
  });
}

nanoseconds device_replay::issue_of(const trace::operation& operation) {
  if (operation.graph_launch != 0) return issued_;
  const trace::host_call& call = recording_.call_at(operation.issued_by);
  const nanoseconds time = issue_time(operation, gpu_).value_or(std::max(call.end, issued_));
  const bool is_open = call.end == call.start;  // when the program ended
  require(time >= call.start && (time <= call.end || is_open), operation,
          "was issued at a time when its call did not run");
  require(time >= issued_, operation, "was issued before an earlier operation");
  return time;
}

void device_replay::issue(const trace::operation& operation) {
  const nanoseconds time = issue_of(operation);
  requests_.push_back(request_of(operation));
  device::request& request = requests_.back();
  const bool takes_room = operation.graph_launch == 0 && (operation.kind == operation_kind::kernel ||
                                                          operation.kind == operation_kind::graph_launch);
  if (takes_room && time > nanoseconds(0)) {
    advance_to(time - nanoseconds(1));
    waited_for_room_[operation.id - 1] = !device::has_room_for_launch(gpu_, schedule_, operation.device);
  }
  synchronize_before(operation, time);
  if (operation.graph_launch == 0) advance_to(time);
  request.issued = issued_ = time;
  schedule_.enqueue(request);
  has_nothing_to_do_[operation.id - 1] = schedule_.has_nothing_to_do(operation.id);
  if (request.staged_bytes > 0) in_staging_.push_back(operation.id);
}

/// Allocations that came before order all streams of old GPUs.
void device_replay::synchronize_before(const trace::operation& operation, nanoseconds time) {
  while (!allocations_.empty()) {
    const trace::host_call& next = *allocations_.back();
    if (std::pair(next.end, next.id) >= std::pair(time, operation.issued_by)) return;
    advance_to(next.end);
    schedule_.implicit_sync(next.device);
    allocations_.pop_back();
  }
}

device::request device_replay::request_of(const trace::operation& operation) {
  device::request request;
  request.kind = operation.kind;
  request.stream = operation.stream;
  request.call = operation.issued_by;
  request.bytes = operation.bytes;
  request.captured = operation.captured;
  request.after = operation.after;
  if (operation.priority != recording_.stream_at(operation.stream).priority)
    request.priority = operation.priority;
  add_to_graph(operation, request);
  switch (operation.kind) {
    case operation_kind::kernel:
      request.shape = {std::uint64_t{operation.grid[0]} * operation.grid[1] * operation.grid[2],
                       operation.block[0] * operation.block[1] * operation.block[2],
                       operation.shared_memory_bytes};
      break;
    case operation_kind::prefetch:
      request.route = operation.destination == memory_kind::managed ? device::copy_route::host_to_device
                                                                    : device::copy_route::device_to_host;
      break;
    case operation_kind::copy:
      request.source_device = source_device_of(recording_, operation).value_or(0);
      add_route(operation, request);
      break;
    case operation_kind::event_record:
      request.has_timing = operation.event == 0 || recording_.event_at(operation.event).has_timing;
      break;
    case operation_kind::host_function: {
      const trace::call_id by = operation.graph_launch == 0 ? operation.issued_by : operation.defined_by;
      request.holds_kernels =
          by == 0 || trace::effect_of(recording_.call_at(by)) != trace::call_effect::queues_callback;
      break;
    }
    case operation_kind::memset:
    case operation_kind::event_wait:
    case operation_kind::graph_launch:
    case operation_kind::allocate:
    case operation_kind::release:
    case operation_kind::attach:
      break;
  }
  return request;
}

void device_replay::add_to_graph(const trace::operation& operation, device::request& request) {
  request.graph_launch = operation.graph_launch;
  if (operation.kind == operation_kind::graph_launch) {
    auto& operations = recording_.operations;
    std::size_t last = operation.id;
    while (last < operations.size() && operations[last].graph_launch == operation.id) ++last;
    request.nodes = last - operation.id;
    branches_[operation.id] = 0;
  }
  if (operation.graph_launch == 0) return;
  device::graph_branches& graph = graphs_[operation.graph_launch];
  std::vector<std::size_t> before;
  for (const operation_id id : operation.after) before.push_back(id - operation.graph_launch - 1);
  request.branch = graph.add(before);
  branches_[operation.graph_launch] = graph.count();
}

/// Where several routes are possible, that which fits the call and whose time is nearest to the recorded one.
void device_replay::add_route(const trace::operation& copy, device::request& request) {
  const trace::host_call& call = recording_.call_at(copy.issued_by);
  const bool is_asynchronous = trace::traits_of(call.function).waits_for != trace::wait_target::own_operation;
  const bool is_late = settings_.schedule == trace::schedule_kind::late_pageable && is_asynchronous;
  const double slower = device::stress_of(settings_.schedule).copies;
  const bool has_staged = call.staging > nanoseconds(0), has_waited = call.end >= copy.end;
  std::pair nearest(true, std::numeric_limits<double>::infinity());
  for (const device::copy_route route : routes_of(recording_, copy)) {
    device::request tried = request;
    tried.route = route;
    const bool is_in = route == device::copy_route::host_to_device && is_staged(*copy.source);
    const bool is_out = route == device::copy_route::device_to_host && is_staged(*copy.destination);
    if (is_in || is_out) tried.host_bandwidth = device::staging_bandwidth(gpu_, route);
    const bool is_by_call = !is_late && copy.graph_launch == 0;
    if (is_in && is_by_call) device::stage_source(gpu_, tried);
    const bool is_other_call = is_by_call && (is_in != has_staged || (is_out && !has_waited));
    const double alone =
        device::latency_ns(gpu_, route) + device::transfer_ns(gpu_, route, copy.bytes, tried.host_bandwidth);
    const double distance = std::abs(alone * slower - static_cast<double>((copy.end - copy.start).count()));
    if (std::pair(is_other_call, distance) >= nearest) continue;
    nearest = {is_other_call, distance};
    request = std::move(tried);
  }
}

std::optional<device::kernel_work> device_replay::work_of(operation_id id) const {
  const trace::operation& kernel = recording_.operation_at(id);
  if (!trace::has_ended(kernel)) return std::nullopt;
  const auto block = [&](nanoseconds length) {
    return device::block_work{.latency_cycles = static_cast<double>(length.count()) * gpu_.clock / 1e3};
  };
  device::kernel_work work;
  const std::vector<trace::block_time>& times = *kernel.block_times;
  if (times.size() == 1) {
    work.blocks = {block(times.front().duration)};
    return work;
  }
  for (const trace::block_time& group : times) {
    require(group.blocks <= max_blocks_of_one_kernel - work.blocks.size(), kernel,
            "has more blocks than a run can do");
    work.blocks.insert(work.blocks.end(), group.blocks, block(group.duration));
  }
  return work;
}

void device_replay::compare(operation_id id) {
  const trace::operation& operation = recording_.operation_at(id);
  const device::times& again = schedule_.times_of(id);
  require(trace::has_ended(operation), operation,
          "did not end in the recording, but does when its work is done again");
  require_same(operation, "was visible to the device", operation.issued, again.issued);
  require_same(operation, "started", operation.start, again.start);
  require_same(operation, "ended", operation.end, again.end);
  require(operation.waited_for == again.waited_for, operation,
          "waited for something else in the recording than when its work is done again");
  has_ended_[id - 1] = true;
  not_signalled_.push_back(id);
}

}  // namespace audit
