#include "matchers/sample_run.h"

#include <algorithm>
#include <utility>

namespace matchers {

namespace {

trace::nanoseconds in_microseconds(int count) { return std::chrono::microseconds(count); }

trace::mark mark_now(const trace::recording& recording, const std::string& name) {
  return {.name = name,
          .time = recording.end,
          .after = static_cast<trace::call_id>(recording.calls.size()),
          .after_operation = static_cast<trace::operation_id>(recording.operations.size())};
}

}  // namespace

sample_run::sample_run() {
  observed_.runs.resize(1);
  observed_.runs.front().outcome.recording.emplace();
  recording().backend = "virtual";
  recording().profile = "teaching";
  recording().files.push_back({"lessons/03_async_copy/async_copy.cu"});
  recording().streams = {{.id = 1, .kind = trace::stream_kind::legacy_default},
                         {.id = 2, .blocking = trace::stream_blocking::non_blocking},
                         {.id = 3, .blocking = trace::stream_blocking::non_blocking}};
  recording().allocations = {{.id = 1, .kind = trace::memory_kind::pinned, .bytes = bytes},
                             {.id = 2, .kind = trace::memory_kind::device, .bytes = bytes}};
  recording().host_accesses.emplace();
  recording().marks.push_back({.name = "begin:learner"});
}

trace::call_id sample_run::call(const std::string& name, microseconds_range when, int line,
                                trace::stream_id stream) {
  trace::host_call made;
  made.id = static_cast<trace::call_id>(recording().calls.size() + 1);
  made.function = trace::function_named(name);
  if (made.function == trace::api_function::other) made.other_name = name;
  made.thread = 1;
  made.start = in_microseconds(when.begin);
  made.end = in_microseconds(when.end);
  made.where = {1, static_cast<std::uint32_t>(line)};
  made.stream = stream;
  recording().calls.push_back(made);
  recording().end = std::max(recording().end, made.end);
  return made.id;
}

trace::operation_id sample_run::issue(trace::operation operation, const std::string& call_name,
                                      microseconds_range when, int line) {
  operation.id = static_cast<trace::operation_id>(recording().operations.size() + 1);
  operation.start = in_microseconds(when.begin);
  operation.end = in_microseconds(when.end);
  operation.issued = operation.start;
  operation.issued_by = call(call_name, {when.begin, when.begin + 1}, line, operation.stream);
  operation.accesses.emplace();
  recording().calls.back().operation = operation.id;
  recording().end = std::max(recording().end, operation.end);
  recording().operations.push_back(std::move(operation));
  return recording().operations.back().id;
}

trace::operation_id sample_run::copy_to_device(trace::stream_id stream, microseconds_range when, int line) {
  trace::operation copy;
  copy.kind = trace::operation_kind::copy;
  copy.stream = stream;
  copy.bytes = bytes;
  copy.source = trace::memory_kind::pinned;
  copy.destination = trace::memory_kind::device;
  return issue(copy, "cudaMemcpyAsync", when, line);
}

trace::operation_id sample_run::copy_to_host(trace::stream_id stream, microseconds_range when, int line) {
  trace::operation copy;
  copy.kind = trace::operation_kind::copy;
  copy.stream = stream;
  copy.bytes = bytes;
  copy.source = trace::memory_kind::device;
  copy.destination = trace::memory_kind::pinned;
  return issue(copy, "cudaMemcpyAsync", when, line);
}

trace::operation_id sample_run::kernel(trace::stream_id stream, microseconds_range when, int line) {
  trace::operation kernel;
  kernel.kind = trace::operation_kind::kernel;
  kernel.stream = stream;
  kernel.name = "transform";
  return issue(kernel, "cudaLaunchKernel", when, line);
}

trace::operation_id sample_run::host_function(trace::stream_id stream, microseconds_range when, int line) {
  trace::operation function;
  function.kind = trace::operation_kind::host_function;
  function.stream = stream;
  const trace::operation_id issued = issue(function, "cudaLaunchHostFunc", when, line);
  recording().host_edges.push_back({.from_operation = issued, .to = 1});
  return issued;
}

trace::operation_id sample_run::marker(trace::operation_kind kind, trace::stream_id stream, int time,
                                       int line) {
  trace::operation marker;
  marker.kind = kind;
  marker.stream = stream;
  const bool is_record = kind == trace::operation_kind::event_record;
  return issue(marker, is_record ? "cudaEventRecord" : "cudaStreamWaitEvent", {time, time}, line);
}

void sample_run::touches(trace::operation_id operation, trace::allocation_id allocation,
                         trace::access_mode mode) {
  recording()
      .operations.at(operation - 1)
      .accesses->push_back({allocation, mode, trace::byte_set::range(0, bytes)});
}

void sample_run::host_reads(trace::allocation_id allocation, int line) {
  trace::host_access read;
  read.thread = 1;
  read.after = static_cast<trace::call_id>(recording().calls.size());
  read.where = {1, static_cast<std::uint32_t>(line)};
  read.access = {allocation, trace::access_mode::read, trace::byte_set::range(0, bytes)};
  recording().host_accesses->push_back(read);
}

run_facts sample_run::learner() {
  recording().marks.resize(1);
  recording().marks.push_back(
      {.name = "end:learner",
       .time = recording().end,
       .after = static_cast<trace::call_id>(recording().calls.size()),
       .after_operation = static_cast<trace::operation_id>(recording().operations.size())});
  return part("learner");
}

calibrated_sample_run::calibrated_sample_run(std::uint32_t copy_engines, int duplex_length) {
  recording().devices = {{.name = "sample", .copy_engines = copy_engines}};
  const auto mark = [&](const std::string& name) { calibration_.push_back(mark_now(recording(), name)); };
  mark("begin:serial");
  copy_to_device(default_stream, {0, 100}, 1);
  copy_to_device(default_stream, {100, 200}, 1);
  kernel(default_stream, {200, 350}, 1);
  copy_to_host(default_stream, {350, 450}, 1);
  mark("end:serial");
  mark("begin:duplex");
  copy_to_device(lane[0], {500, 500 + duplex_length}, 1);
  copy_to_host(lane[1], {500, 500 + duplex_length}, 1);
  mark("end:duplex");
  mark("begin:pieces");
  for (int piece = 0; piece < 16; ++piece) copy_to_device(lane[0], {700 + 8 * piece, 708 + 8 * piece}, 1);
  recording().operations.back().end = std::chrono::microseconds(700 + 130);
  mark("end:pieces");
  recording().marks.front() = mark_now(recording(), "begin:learner");
  recording().marks.front().time = std::chrono::microseconds(learner_begin);
}

run_facts calibrated_sample_run::judged() {
  learner();
  recording().marks.insert(recording().marks.end(), calibration_.begin(), calibration_.end());
  return part("learner");
}

}  // namespace matchers
