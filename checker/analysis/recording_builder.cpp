#include "analysis/recording_builder.h"

#include <algorithm>

namespace analysis {
namespace {

trace::access access_to(memory bytes, trace::access_mode mode) {
  return {bytes.allocation, mode, trace::byte_set::range(bytes.offset, bytes.length)};
}

}  // namespace

trace::access reads(memory bytes) { return access_to(bytes, trace::access_mode::read); }
trace::access writes(memory bytes) { return access_to(bytes, trace::access_mode::write); }
trace::access updates_atomically(memory bytes) { return access_to(bytes, trace::access_mode::atomic); }
memory part(memory whole, std::uint64_t offset, std::uint64_t length) {
  return {whole.allocation, whole.offset + offset, length};
}

recording_builder::recording_builder() {
  seen_.files.push_back({"/course/program.cu"});
  seen_.host_accesses.emplace();
  add_stream(trace::stream_kind::legacy_default, trace::stream_blocking::blocking);
}

trace::stream_id recording_builder::legacy_stream(std::uint32_t device) {
  for (const trace::stream& stream : seen_.streams) {
    if (stream.kind == trace::stream_kind::legacy_default && stream.device == device) return stream.id;
  }
  device_ = device;
  return add_stream(trace::stream_kind::legacy_default, trace::stream_blocking::blocking);
}

trace::stream_id recording_builder::per_thread_stream() {
  return add_stream(trace::stream_kind::per_thread_default, trace::stream_blocking::blocking);
}

trace::stream_id recording_builder::create_stream(trace::stream_blocking blocking) {
  const trace::call_id by = call("cudaStreamCreateWithFlags").id;
  const trace::stream_id id = add_stream(trace::stream_kind::created, blocking);
  seen_.streams.back().created_by = by;
  return id;
}

void recording_builder::destroy_stream(trace::stream_id stream) {
  seen_.streams.at(stream - 1).destroyed_by = call("cudaStreamDestroy").id;
}

trace::event_id recording_builder::create_event() {
  const trace::call_id by = call("cudaEventCreate").id;
  const auto id = static_cast<trace::event_id>(seen_.events.size() + 1);
  seen_.events.push_back({.id = id, .device = device_, .created_by = by});
  last_record_.push_back(0);
  return id;
}

memory recording_builder::allocate(trace::memory_kind kind, std::uint64_t bytes) {
  const auto id = static_cast<trace::allocation_id>(seen_.allocations.size() + 1);
  trace::call_id by = 0;
  if (kind != trace::memory_kind::pageable) {
    trace::host_call& made = call(kind == trace::memory_kind::device   ? "cudaMalloc"
                                  : kind == trace::memory_kind::pinned ? "cudaMallocHost"
                                                                       : "cudaMallocManaged");
    made.allocation = id;
    by = made.id;
  }
  seen_.allocations.push_back(
      {.id = id, .kind = kind, .device = device_, .bytes = bytes, .allocated_by = by});
  return {id, 0, bytes};
}

void recording_builder::free(memory what) {
  trace::host_call& freed = call("cudaFree");
  freed.allocation = what.allocation;
  seen_.allocations.at(what.allocation - 1).freed_by = freed.id;
}

memory recording_builder::allocate_from_pool(trace::stream_id stream, std::uint64_t bytes) {
  const auto id = static_cast<trace::allocation_id>(seen_.allocations.size() + 1);
  issue("cudaMallocAsync", trace::operation_kind::allocate, stream);
  seen_.calls.back().allocation = id;
  seen_.allocations.push_back({.id = id,
                               .kind = trace::memory_kind::device,
                               .device = device_,
                               .bytes = bytes,
                               .allocated_by = seen_.calls.back().id});
  return {id, 0, bytes};
}

trace::operation_id recording_builder::free_to_pool(memory what, trace::stream_id stream) {
  const trace::operation_id id = issue("cudaFreeAsync", trace::operation_kind::release, stream).id;
  seen_.calls.back().allocation = what.allocation;
  seen_.allocations.at(what.allocation - 1).freed_by = seen_.calls.back().id;
  return id;
}

trace::operation_id recording_builder::prefetch(memory what, trace::stream_id stream) {
  trace::operation& operation = issue("cudaMemPrefetchAsync", trace::operation_kind::prefetch, stream);
  operation.source = trace::memory_kind::pinned;
  operation.destination = trace::memory_kind::managed;
  operation.bytes = what.length;
  operation.accesses = {reads(what)};
  return operation.id;
}

trace::operation_id recording_builder::launch(const std::string& kernel, trace::stream_id stream,
                                              std::vector<trace::access> accesses) {
  trace::operation& operation = issue("cudaLaunchKernel", trace::operation_kind::kernel, stream);
  operation.name = kernel;
  operation.accesses = std::move(accesses);
  return operation.id;
}

trace::operation_id recording_builder::copy(memory from, memory to, trace::stream_id stream, waiting how) {
  trace::operation& operation = issue(how == waiting::synchronous ? "cudaMemcpy" : "cudaMemcpyAsync",
                                      trace::operation_kind::copy, stream);
  operation.source = seen_.allocation_at(from.allocation).kind;
  operation.destination = seen_.allocation_at(to.allocation).kind;
  operation.bytes = from.length;
  operation.accesses = {reads(from), writes(to)};
  return operation.id;
}

trace::operation_id recording_builder::set(memory what, trace::stream_id stream, waiting how) {
  trace::operation& operation = issue(how == waiting::synchronous ? "cudaMemset" : "cudaMemsetAsync",
                                      trace::operation_kind::memset, stream);
  operation.destination = seen_.allocation_at(what.allocation).kind;
  operation.bytes = what.length;
  operation.accesses = {writes(what)};
  return operation.id;
}

trace::operation_id recording_builder::launch_host_function(trace::stream_id stream,
                                                            std::vector<trace::access> accesses) {
  trace::operation& operation = issue("cudaLaunchHostFunc", trace::operation_kind::host_function, stream);
  operation.accesses = std::move(accesses);
  return operation.id;
}

std::vector<trace::operation_id> recording_builder::launch_graph(trace::stream_id stream,
                                                                 const std::vector<graph_kernel>& nodes) {
  trace::operation& issued = issue("cudaGraphLaunch", trace::operation_kind::graph_launch, stream);
  issued.accesses.reset();  // as backends leave it
  const trace::operation launch = issued;
  std::vector<trace::operation_id> ids;
  for (const graph_kernel& node : nodes) {
    trace::operation added = launch;
    added.id = launch.id + 1 + static_cast<trace::operation_id>(ids.size());
    added.kind = trace::operation_kind::kernel;
    added.name = node.name;
    added.graph_launch = launch.id;
    for (const std::size_t place : node.after) added.after.push_back(ids.at(place));
    added.accesses = node.accesses;
    seen_.operations.push_back(added);
    ids.push_back(added.id);
  }
  return ids;
}

trace::operation_id recording_builder::record(trace::event_id event, trace::stream_id stream) {
  trace::operation& operation = issue("cudaEventRecord", trace::operation_kind::event_record, stream);
  operation.event = event;
  last_record_.at(event - 1) = operation.id;
  return operation.id;
}

trace::operation_id recording_builder::wait(trace::stream_id stream, trace::event_id event) {
  trace::operation& operation = issue("cudaStreamWaitEvent", trace::operation_kind::event_wait, stream);
  operation.event = event;
  operation.captured = last_record_.at(event - 1);
  return operation.id;
}

void recording_builder::synchronize_stream(trace::stream_id stream) {
  call("cudaStreamSynchronize").stream = stream;
}

void recording_builder::synchronize_event(trace::event_id event) {
  trace::host_call& made = call("cudaEventSynchronize");
  made.event = event;
  made.captured = last_record_.at(event - 1);
}

void recording_builder::synchronize_device() { call("cudaDeviceSynchronize"); }

void recording_builder::query_stream(trace::stream_id stream, answer said) {
  call("cudaStreamQuery").stream = stream;
  if (said == answer::not_ready) fail_last_call(600);
}

void recording_builder::query_event(trace::event_id event, answer said) {
  trace::host_call& made = call("cudaEventQuery");
  made.event = event;
  made.captured = last_record_.at(event - 1);
  if (said == answer::not_ready) fail_last_call(600);
}

void recording_builder::host_reads(memory bytes) { add_host_access(reads(bytes)); }
void recording_builder::host_writes(memory bytes) { add_host_access(writes(bytes)); }

recording_builder& recording_builder::at_line(std::uint32_t line) {
  line_ = line - 1;
  return *this;
}

void recording_builder::in_file(const std::string& path) {
  const auto known = std::find(seen_.files.begin(), seen_.files.end(), trace::source_file{path});
  file_ = static_cast<std::uint32_t>(known - seen_.files.begin());
  if (known == seen_.files.end()) seen_.files.push_back({path});
}

void recording_builder::pass(trace::thread_id from, trace::thread_id to) {
  trace::host_edge edge{
      .from = from, .from_after = last_call_of(from), .to = to, .to_after = last_call_of(to)};
  if (divides_into_steps_) {
    edge.from_step = steps_[from]++;
    edge.to_step = ++steps_[to];
  }
  seen_.host_edges.push_back(edge);
}

void recording_builder::pass_from_host_function(trace::operation_id function, trace::thread_id to) {
  trace::host_edge edge{.from_operation = function, .to = to, .to_after = last_call_of(to)};
  if (divides_into_steps_) edge.to_step = ++steps_[to];
  seen_.host_edges.push_back(edge);
}

void recording_builder::mark(const std::string& name) {
  seen_.marks.push_back({.name = name,
                         .after = static_cast<trace::call_id>(seen_.calls.size()),
                         .after_operation = static_cast<trace::operation_id>(seen_.operations.size())});
}

void recording_builder::fail_last_call(int error_code) { seen_.calls.back().error_code = error_code; }

trace::host_call& recording_builder::call(const std::string& name) {
  const auto id = static_cast<trace::call_id>(seen_.calls.size() + 1);
  seen_.calls.push_back(
      {.id = id, .name = name, .thread = thread_, .where = next_place(), .device = device_});
  return seen_.calls.back();
}

trace::operation& recording_builder::issue(const std::string& call_name, trace::operation_kind kind,
                                           trace::stream_id stream) {
  const auto id = static_cast<trace::operation_id>(seen_.operations.size() + 1);
  trace::host_call& issuer = call(call_name);
  issuer.stream = stream;
  issuer.operation = id;
  seen_.operations.push_back({.id = id,
                              .kind = kind,
                              .stream = stream,
                              .device = device_,
                              .issued_by = issuer.id,
                              .accesses = std::vector<trace::access>()});
  return seen_.operations.back();
}

trace::location recording_builder::next_place() { return {file_, ++line_}; }

trace::call_id recording_builder::last_call_of(trace::thread_id thread) const {
  for (auto call = seen_.calls.rbegin(); call != seen_.calls.rend(); ++call) {
    if (call->thread == thread) return call->id;
  }
  return 0;
}

trace::stream_id recording_builder::add_stream(trace::stream_kind kind, trace::stream_blocking blocking) {
  const auto id = static_cast<trace::stream_id>(seen_.streams.size() + 1);
  seen_.streams.push_back({.id = id, .device = device_, .kind = kind, .blocking = blocking});
  return id;
}

void recording_builder::add_host_access(trace::access access) {
  seen_.host_accesses->push_back({.thread = thread_,
                                  .after = last_call_of(thread_),
                                  .where = next_place(),
                                  .access = std::move(access),
                                  .step = divides_into_steps_ ? steps_[thread_] : 0});
}

}  // namespace analysis
