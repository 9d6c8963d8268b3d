#include "trace/recording_builder.h"

#include <algorithm>
#include <utility>

namespace trace {
namespace {

access access_to(memory bytes, access_mode mode) {
  return {bytes.allocation, mode, byte_set::range(bytes.offset, bytes.length)};
}

}  // namespace

access reads(memory bytes) { return access_to(bytes, access_mode::read); }
access writes(memory bytes) { return access_to(bytes, access_mode::write); }
access updates_atomically(memory bytes) { return access_to(bytes, access_mode::atomic); }
memory slice(memory whole, std::uint64_t offset, std::uint64_t length) {
  return {whole.allocation, whole.offset + offset, length};
}

recording_builder::recording_builder() {
  recording_.files.push_back({"/course/program.cu"});
  recording_.host_accesses.emplace();
  add_stream(stream_kind::legacy_default, stream_blocking::blocking);
}

stream_id recording_builder::legacy_stream(std::uint32_t device) {
  for (const stream& stream : recording_.streams) {
    if (stream.kind == stream_kind::legacy_default && stream.device == device) return stream.id;
  }
  device_ = device;
  return add_stream(stream_kind::legacy_default, stream_blocking::blocking);
}

stream_id recording_builder::per_thread_stream() {
  return add_stream(stream_kind::per_thread_default, stream_blocking::blocking);
}

stream_id recording_builder::create_stream(stream_blocking blocking) {
  const call_id by = call(api_function::cudaStreamCreateWithFlags).id;
  const stream_id id = add_stream(stream_kind::created, blocking);
  recording_.streams.back().created_by = by;
  return id;
}

void recording_builder::destroy_stream(stream_id stream) {
  recording_.streams.at(stream - 1).destroyed_by = call(api_function::cudaStreamDestroy).id;
}

event_id recording_builder::create_event() {
  const call_id by = call(api_function::cudaEventCreate).id;
  const auto id = static_cast<event_id>(recording_.events.size() + 1);
  recording_.events.push_back({.id = id, .device = device_, .created_by = by});
  last_record_.push_back(0);
  return id;
}

memory recording_builder::allocate(memory_kind kind, std::uint64_t bytes) {
  const auto id = static_cast<allocation_id>(recording_.allocations.size() + 1);
  call_id by = 0;
  if (kind != memory_kind::pageable) {
    host_call& made = call(kind == memory_kind::device   ? api_function::cudaMalloc
                           : kind == memory_kind::pinned ? api_function::cudaMallocHost
                                                         : api_function::cudaMallocManaged);
    made.allocation = id;
    by = made.id;
  }
  recording_.allocations.push_back(
      {.id = id, .kind = kind, .device = device_, .bytes = bytes, .allocated_by = by});
  return {id, 0, bytes};
}

void recording_builder::free(memory block) {
  host_call& freed = call(api_function::cudaFree);
  freed.allocation = block.allocation;
  recording_.allocations.at(block.allocation - 1).freed_by = freed.id;
}

memory recording_builder::allocate_from_pool(stream_id stream, std::uint64_t bytes) {
  const auto id = static_cast<allocation_id>(recording_.allocations.size() + 1);
  issue(api_function::cudaMallocAsync, operation_kind::allocate, stream);
  recording_.calls.back().allocation = id;
  recording_.allocations.push_back({.id = id,
                                    .kind = memory_kind::device,
                                    .device = device_,
                                    .bytes = bytes,
                                    .allocated_by = recording_.calls.back().id});
  return {id, 0, bytes};
}

operation_id recording_builder::free_to_pool(memory block, stream_id stream) {
  const operation_id id = issue(api_function::cudaFreeAsync, operation_kind::release, stream).id;
  recording_.calls.back().allocation = block.allocation;
  recording_.allocations.at(block.allocation - 1).freed_by = recording_.calls.back().id;
  return id;
}

operation_id recording_builder::prefetch(memory block, stream_id stream) {
  operation& operation = issue(api_function::cudaMemPrefetchAsync, operation_kind::prefetch, stream);
  operation.source = memory_kind::pinned;
  operation.destination = memory_kind::managed;
  operation.bytes = block.length;
  operation.accesses = {reads(block)};
  return operation.id;
}

operation_id recording_builder::launch(const std::string& kernel, stream_id stream,
                                       std::vector<access> accesses) {
  operation& operation = issue(api_function::cudaLaunchKernel, operation_kind::kernel, stream);
  operation.name = kernel;
  operation.accesses = std::move(accesses);
  return operation.id;
}

operation_id recording_builder::copy(memory from, memory to, stream_id stream, waiting how) {
  operation& operation =
      issue(how == waiting::synchronous ? api_function::cudaMemcpy : api_function::cudaMemcpyAsync,
            operation_kind::copy, stream);
  operation.source = recording_.allocation_at(from.allocation).kind;
  operation.destination = recording_.allocation_at(to.allocation).kind;
  operation.bytes = from.length;
  operation.accesses = {reads(from), writes(to)};
  return operation.id;
}

operation_id recording_builder::set(memory block, stream_id stream, waiting how) {
  operation& operation =
      issue(how == waiting::synchronous ? api_function::cudaMemset : api_function::cudaMemsetAsync,
            operation_kind::memset, stream);
  operation.destination = recording_.allocation_at(block.allocation).kind;
  operation.bytes = block.length;
  operation.accesses = {writes(block)};
  return operation.id;
}

operation_id recording_builder::launch_host_function(stream_id stream, std::vector<access> accesses) {
  operation& operation = issue(api_function::cudaLaunchHostFunc, operation_kind::host_function, stream);
  operation.accesses = std::move(accesses);
  return operation.id;
}

std::vector<operation_id> recording_builder::launch_graph(stream_id stream,
                                                          const std::vector<graph_kernel>& nodes) {
  operation& issued = issue(api_function::cudaGraphLaunch, operation_kind::graph_launch, stream);
  issued.accesses.reset();  // as backends leave it
  const operation launch = issued;
  std::vector<operation_id> ids;
  for (const graph_kernel& node : nodes) {
    operation added = launch;
    added.id = launch.id + 1 + static_cast<operation_id>(ids.size());
    added.kind = operation_kind::kernel;
    added.name = node.name;
    added.graph_launch = launch.id;
    for (const std::size_t place : node.after) added.after.push_back(ids.at(place));
    added.accesses = node.accesses;
    recording_.operations.push_back(added);
    ids.push_back(added.id);
  }
  return ids;
}

operation_id recording_builder::record(event_id event, stream_id stream) {
  operation& operation = issue(api_function::cudaEventRecord, operation_kind::event_record, stream);
  operation.event = event;
  last_record_.at(event - 1) = operation.id;
  return operation.id;
}

operation_id recording_builder::wait(stream_id stream, event_id event) {
  operation& operation = issue(api_function::cudaStreamWaitEvent, operation_kind::event_wait, stream);
  operation.event = event;
  operation.captured = last_record_.at(event - 1);
  return operation.id;
}

void recording_builder::synchronize_stream(stream_id stream) {
  call(api_function::cudaStreamSynchronize).stream = stream;
}

void recording_builder::synchronize_event(event_id event) {
  host_call& made = call(api_function::cudaEventSynchronize);
  made.event = event;
  made.captured = last_record_.at(event - 1);
}

void recording_builder::synchronize_device() { call(api_function::cudaDeviceSynchronize); }

void recording_builder::query_stream(stream_id stream, answer reply) {
  call(api_function::cudaStreamQuery).stream = stream;
  if (reply == answer::not_ready) fail_last_call(600);
}

void recording_builder::query_event(event_id event, answer reply) {
  host_call& made = call(api_function::cudaEventQuery);
  made.event = event;
  made.captured = last_record_.at(event - 1);
  if (reply == answer::not_ready) fail_last_call(600);
}

void recording_builder::host_reads(memory bytes) { add_host_access(reads(bytes)); }
void recording_builder::host_writes(memory bytes) { add_host_access(writes(bytes)); }

recording_builder& recording_builder::at_line(std::uint32_t line) {
  line_ = line - 1;
  return *this;
}

recording_builder& recording_builder::called_from(const std::vector<std::uint32_t>& lines) {
  caller_lines& added = recording_.callers.emplace_back();
  for (const std::uint32_t line : lines) added.lines.push_back({file_, line});
  callers_ = static_cast<std::uint32_t>(recording_.callers.size());
  return *this;
}

void recording_builder::in_file(const std::string& path) {
  const auto known = std::find(recording_.files.begin(), recording_.files.end(), source_file{path});
  file_ = static_cast<std::uint32_t>(known - recording_.files.begin());
  if (known == recording_.files.end()) recording_.files.push_back({path});
}

void recording_builder::pass(thread_id from, thread_id to) {
  host_edge edge{.from = from, .from_after = last_call_of(from), .to = to, .to_after = last_call_of(to)};
  if (divides_into_steps_) {
    edge.from_step = steps_[from]++;
    edge.to_step = ++steps_[to];
  }
  recording_.host_edges.push_back(edge);
}

void recording_builder::pass_from_host_function(operation_id function, thread_id to) {
  host_edge edge{.from_operation = function, .to = to, .to_after = last_call_of(to)};
  if (divides_into_steps_) {
    edge.from_step = steps_of_functions_[function]++;
    edge.to_step = ++steps_[to];
  }
  recording_.host_edges.push_back(edge);
}

void recording_builder::pass_to_host_function(thread_id from, operation_id function) {
  host_edge edge{.from = from, .from_after = last_call_of(from), .to_operation = function};
  if (divides_into_steps_) {
    edge.from_step = steps_[from]++;
    edge.to_step = ++steps_of_functions_[function];
  }
  recording_.host_edges.push_back(edge);
}

void recording_builder::touch(operation_id function, access touched) {
  touched.step = steps_of_functions_[function];
  recording_.operations[function - 1].accesses->push_back(std::move(touched));
}

void recording_builder::mark(const std::string& name) {
  recording_.marks.push_back({.name = name,
                              .after = static_cast<call_id>(recording_.calls.size()),
                              .after_operation = static_cast<operation_id>(recording_.operations.size())});
}

void recording_builder::fail_last_call(int error_code, const std::string& error_name) {
  recording_.calls.back().error_code = error_code;
  if (!error_name.empty()) recording_.calls.back().error_name = error_name;
}

void recording_builder::fail_last_call_unused(int error_code) {
  fail_last_call(error_code);
  recording_.calls.back().is_result_unused = true;
}

host_call& recording_builder::call(api_function function) {
  const auto id = static_cast<call_id>(recording_.calls.size() + 1);
  recording_.calls.push_back(
      {.id = id, .function = function, .thread = thread_, .where = next_place(), .device = device_});
  return recording_.calls.back();
}

operation& recording_builder::issue(api_function function, operation_kind kind, stream_id stream) {
  const auto id = static_cast<operation_id>(recording_.operations.size() + 1);
  host_call& issuer = call(function);
  issuer.stream = stream;
  issuer.operation = id;
  recording_.operations.push_back({.id = id,
                                   .kind = kind,
                                   .stream = stream,
                                   .device = device_,
                                   .issued_by = issuer.id,
                                   .accesses = std::vector<access>()});
  return recording_.operations.back();
}

location recording_builder::next_place() { return {file_, ++line_, false, std::exchange(callers_, 0)}; }

call_id recording_builder::last_call_of(thread_id thread) const {
  for (auto call = recording_.calls.rbegin(); call != recording_.calls.rend(); ++call) {
    if (call->thread == thread) return call->id;
  }
  return 0;
}

stream_id recording_builder::add_stream(stream_kind kind, stream_blocking blocking) {
  const auto id = static_cast<stream_id>(recording_.streams.size() + 1);
  recording_.streams.push_back({.id = id, .device = device_, .kind = kind, .blocking = blocking});
  return id;
}

void recording_builder::add_host_access(access access) {
  recording_.host_accesses->push_back({.thread = thread_,
                                       .after = last_call_of(thread_),
                                       .where = next_place(),
                                       .access = std::move(access),
                                       .step = divides_into_steps_ ? steps_[thread_] : 0});
}

}  // namespace trace
