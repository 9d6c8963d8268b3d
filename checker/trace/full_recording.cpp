#include "trace/full_recording.h"

#include <string>

namespace trace {
namespace {

using std::chrono::nanoseconds;

/// A different value at each call, small enough for every field and, as an id, part of `full_recording`.
struct distinct {
  unsigned last = 0;
  operator unsigned() { return ++last; }  // NOLINT: that is its purpose
  std::string text() { return "text " + std::to_string(++last); }
  nanoseconds time() { return nanoseconds(1'000'000 + ++last); }
};

trace::byte_set strided(unsigned first) {
  return trace::byte_set::from_runs({{first, 4, 12, 9}, {first + 500, 7, 7, 1}});
}

// Structured bindings name every field: a field that is added to a struct does not compile until it is filled here.

void fill(trace::operation& operation, distinct& next, unsigned captured) {
  auto& [id, kind, stream, device, name, issued_by, issued, start, end, bytes, source, destination, grid,
         block, integers, shared_memory_bytes, block_times, prints, priority, event, captured_record,
         graph_launch, defined_by, after, waited_for, accesses] = operation;
  kind = trace::operation_kind::event_wait;
  stream = next;
  device = next;
  name = next.text();
  issued_by = next;
  issued = next.time();
  start = next.time();
  end = next.time();
  bytes = std::size_t{1} << 40 | next;
  source = trace::memory_kind::pinned;
  destination = trace::memory_kind::managed;
  grid = {next, next, next};
  block = {next, next, next};
  integers = {-static_cast<std::int64_t>(next), std::int64_t{1} << 40 | next};
  shared_memory_bytes = next;
  block_times.emplace();
  for (int blocks = 0; blocks < 2; ++blocks) block_times->push_back({next, next.time()});
  prints = true;
  priority = -static_cast<int>(next);
  event = next;
  captured_record = captured;
  graph_launch = 0;  // and no edges: see graph_recording()
  defined_by = next;
  after = {};
  waited_for.emplace(1);
  auto& [reason, by_operation, by_call, until] = waited_for->front();
  reason = trace::constraint_kind::work_queue;
  by_operation = next;
  by_call = next;
  until = next.time();
  accesses.emplace(1);
  auto& [allocation, mode, touched, where, step] = accesses->front();
  where = {1, next};
  step = next;
  allocation = next;
  mode = trace::access_mode::atomic;
  touched = strided(next);
}

void fill(trace::host_call& call, distinct& next, unsigned captured) {
  auto& [id, function, other_name, thread, start, end, error_code, error_name, is_result_unused, where,
         stream, event, operation, captured_record, allocation, device, asked_device, waited_for, staging] =
      call;
  function = trace::api_function::cudaMemcpyAsync;
  other_name = next.text();
  thread = next;
  start = next.time();
  end = next.time();
  error_code = -static_cast<int>(next);
  error_name = next.text();
  is_result_unused = true;
  where = {1, next, true, 1};
  stream = next;
  event = next;
  operation = next;
  captured_record = captured;
  allocation = next;
  device = next;
  asked_device = next;
  waited_for.emplace(1);
  auto& [kind, by_operation, by_call, until] = waited_for->front();
  kind = trace::constraint_kind::staging;
  by_operation = next;
  by_call = next;
  until = next.time();
  staging = next.time();
}

void fill_objects(trace::recording& recording, distinct& next) {
  {
    auto& [id, device, kind, blocking, priority, created_by, destroyed_by, overwritten_by, name] =
        recording.streams.front();
    device = next;
    kind = trace::stream_kind::per_thread_default;
    blocking = trace::stream_blocking::non_blocking;
    priority = -static_cast<int>(next);
    created_by = next;
    destroyed_by = next;
    overwritten_by = next;
    name = next.text();
  }
  {
    auto& [id, device, has_timing, created_by, destroyed_by, overwritten_by] = recording.events.front();
    device = next;
    has_timing = false;
    created_by = next;
    destroyed_by = next;
    overwritten_by = next;
  }
  {
    auto& [id, kind, device, bytes, allocated_by, freed_by, name, declared] = recording.allocations.front();
    kind = trace::memory_kind::managed;
    device = next;
    bytes = next;
    allocated_by = next;
    freed_by = next;
    name = next.text();
    declared = {0, next};
  }
  {
    auto& [ordinal, name, compute_capability, multiprocessors, copy_engines] =
        recording.devices.emplace_back();
    ordinal = next;
    name = next.text();
    compute_capability = next.text();
    multiprocessors = next;
    copy_engines = next;
  }
}

void fill_host(trace::recording& recording, distinct& next) {
  {
    auto& [thread, after, where, access, step] = recording.host_accesses.emplace().emplace_back();
    thread = next;
    after = next;
    where = {1, next};
    access = {next, trace::access_mode::write, strided(next), {1, next}, next};
    step = next;
  }
  {
    auto& [from_operation, from, from_after, to_operation, to, to_after, from_step, to_step, is_join, where] =
        recording.host_edges.emplace_back();
    from_operation = next;
    from = next;
    from_after = next;
    to_operation = next;
    to = next;
    to_after = next;
    from_step = next;
    to_step = next;
    is_join = true;
    where = {1, next, true};
  }
  {
    auto& [region, number, thread, after, until, first_step, last_step, where] =
        recording.region_threads.emplace_back();
    region = next;
    number = next;
    thread = next;
    after = next;
    until = next;
    first_step = next;
    last_step = next;
    where = {1, next, true};
  }
  {
    auto& [kind, message, call, where, earlier] = recording.diagnostics.emplace_back();
    kind = trace::diagnostic_kind::use_after_free;
    message = "a \"quoted\"\\message\n\t\x01 gr\xc3\xbc\xc3\x9f dich";
    call = next;
    where = {1, next};
    earlier = {1, next};
  }
  {
    auto& [name, time, after, after_operation, where] = recording.marks.emplace_back();
    name = next.text();
    time = next.time();
    after = next;
    after_operation = next;
    where = {1, next, true};
  }
  {
    auto& [name, domain, thread, start, end, category, colour, payload, where] =
        recording.ranges.emplace_back();
    name = next.text();
    domain = next.text();
    thread = next;
    start = next.time();
    end = next.time();
    category = next.text();
    colour = next;
    payload = next.text();
    where = {1, next};
  }
  {
    auto& [operation, multiprocessor, multiprocessors, blocks, start, end] =
        recording.residencies.emplace_back();
    operation = next;
    multiprocessor = next;
    multiprocessors = next;
    blocks = next;
    start = next.time();
    end = next.time();
  }
}

}  // namespace

trace::recording full_recording() {
  constexpr unsigned entries = 120;  // ids up to here exist
  trace::recording recording;
  for (unsigned id = 1; id <= entries; ++id) {
    recording.streams.push_back({.id = id});
    recording.events.push_back({.id = id});
    recording.allocations.push_back({.id = id});
    recording.calls.push_back({.id = id});
    recording.operations.push_back({.id = id, .stream = 1});
    recording.devices.push_back({.ordinal = id - 1, .multiprocessors = 3 * entries});
  }
  recording.operations[10].kind = trace::operation_kind::event_record;
  auto& [backend, profile, schedule, files, callers, devices, kernels, streams, events, allocations, calls,
         operations, host_accesses, host_edges, region_threads, diagnostics, marks, ranges, residencies,
         end] = recording;
  distinct next;
  backend = next.text();
  profile = next.text();
  schedule = trace::schedule_kind::slow_kernels;
  files.push_back({"/a path/file.cu", true});
  callers.push_back({{{1, next}, {1, next}}});
  kernels.push_back({next.text(), {next.text(), next.text()}});
  fill(operations.back(), next, 11);
  fill(calls.front(), next, 11);
  fill_objects(recording, next);
  fill_host(recording, next);
  end = next.time();
  return recording;
}

}  // namespace trace
