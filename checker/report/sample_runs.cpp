#include "report/sample_runs.h"

#include <algorithm>

namespace report {

using trace::memory_kind;
using trace::operation_kind;

namespace {

trace::nanoseconds at_microsecond(int time) { return std::chrono::microseconds{time}; }

}  // namespace

sample_run::sample_run() {
  recording.backend = "virtual";
  recording.profile = "teaching";
  recording.devices.push_back({.ordinal = 0,
                               .name = "teaching GPU",
                               .compute_capability = "9.0",
                               .multiprocessors = 4,
                               .copy_engines = 2});
  recording.streams.push_back({.id = 1, .kind = trace::stream_kind::legacy_default});
}

trace::stream_id sample_run::stream() {
  recording.streams.push_back({.id = static_cast<trace::stream_id>(recording.streams.size() + 1)});
  return recording.streams.back().id;
}

void sample_run::mark(const std::string& name, int time) {
  recording.marks.push_back(
      {.name = name,
       .time = at_microsecond(time),
       .after = static_cast<trace::call_id>(recording.calls.size()),
       .after_operation = static_cast<trace::operation_id>(recording.operations.size())});
  recording.end = std::max(recording.end, at_microsecond(time));
}

void sample_run::call(const std::string& name, int start, int end, trace::thread_id thread) {
  trace::host_call& made = recording.calls.emplace_back();
  made.id = static_cast<trace::call_id>(recording.calls.size());
  made.function = trace::function_named(name);
  if (made.function == trace::api_function::other) made.other_name = name;
  made.thread = thread;
  made.start = at_microsecond(start);
  made.end = at_microsecond(end);
  recording.end = std::max(recording.end, at_microsecond(end));
}

trace::operation& sample_run::issue(const std::string& call_name, operation_kind kind,
                                    trace::stream_id stream, int issued, int returned, int start, int end) {
  call(call_name, issued, returned);
  trace::host_call& by = recording.calls.back();
  by.stream = stream;
  trace::operation& made = recording.operations.emplace_back();
  made.id = static_cast<trace::operation_id>(recording.operations.size());
  made.kind = kind;
  made.stream = stream;
  made.issued_by = by.id;
  made.issued = by.end;
  made.start = at_microsecond(start);
  made.end = at_microsecond(end);
  by.operation = made.id;
  recording.end = std::max(recording.end, at_microsecond(end));
  return made;
}

void sample_run::copy_to_device(trace::stream_id stream, int issued, int start, int end) {
  auto& made = issue("cudaMemcpyAsync", operation_kind::copy, stream, issued, issued + 2, start, end);
  made.source = memory_kind::pinned;
  made.destination = memory_kind::device;
}

void sample_run::copy_to_host(trace::stream_id stream, int issued, int start, int end) {
  auto& made = issue("cudaMemcpyAsync", operation_kind::copy, stream, issued, issued + 2, start, end);
  made.source = memory_kind::device;
  made.destination = memory_kind::pinned;
}

void sample_run::kernel(const std::string& name, trace::stream_id stream, int issued, int start, int end) {
  issue("cudaLaunchKernel", operation_kind::kernel, stream, issued, issued + 4, start, end).name = name;
}

void sample_run::synchronous_copy(memory_kind source, memory_kind destination, int issued, int start,
                                  int end) {
  auto& made = issue("cudaMemcpy", operation_kind::copy, 1, issued, end, start, end);
  made.source = source;
  made.destination = destination;
}

void sample_run::memset(trace::stream_id stream, int issued, int start, int end) {
  issue("cudaMemsetAsync", operation_kind::memset, stream, issued, issued + 2, start, end).destination =
      memory_kind::device;
}

void sample_run::record(trace::stream_id stream, int issued, int time) {
  issue("cudaEventRecord", operation_kind::event_record, stream, issued, issued + 1, time, time);
}

void sample_run::wait(trace::stream_id stream, int issued, int time) {
  issue("cudaStreamWaitEvent", operation_kind::event_wait, stream, issued, issued + 1, time, time);
}

trace::recording serial_sample() {
  sample_run run;
  run.mark("begin:learner", 1000);
  for (int batch = 0; batch < 3; ++batch) {
    const int start = 1000 + 320 * batch;
    run.synchronous_copy(memory_kind::pinned, memory_kind::device, start, start + 10, start + 110);
    run.kernel("scale", 1, start + 110, start + 120, start + 210);
    run.synchronous_copy(memory_kind::device, memory_kind::pinned, start + 114, start + 210, start + 310);
  }
  run.host_work(1960, 2160);
  run.mark("end:learner", 2160);
  return run.recording;
}

trace::recording overlapped_sample() {
  sample_run run;
  const trace::stream_id lanes[] = {run.stream(), run.stream()};
  run.mark("begin:learner", 1000);
  for (int batch = 0; batch < 5; ++batch) {
    const trace::stream_id stream = lanes[batch % 2];
    const int issued = 1000 + 12 * batch;
    const int start = 1010 + 150 * batch;
    run.copy_to_device(stream, issued, start, start + 100);
    run.kernel("scale", stream, issued + 3, start + 100, start + 190);
    run.copy_to_host(stream, issued + 8, start + 190, start + 290);
  }
  run.host_work(1064, 1564);
  run.call("cudaDeviceSynchronize", 1564, 1902);
  run.mark("end:learner", 1902);
  return run.recording;
}

trace::recording crowded_sample() {
  sample_run run;
  const trace::stream_id first = run.stream();
  const trace::stream_id second = run.stream();
  run.mark("begin:learner", 0);
  run.memset(first, 0, 5, 8);
  for (int step = 0; step < 100; ++step) {
    run.kernel("tiny", first, 10 + 5 * step, 20 + 5 * step, 22 + 5 * step);
    run.kernel("step<float>(float*)", second, 14 + 5 * step, 21 + 5 * step, 25 + 5 * step);
  }
  run.record(first, 600, 601);
  run.wait(second, 602, 603);
  run.kernel("void finish<2>(float const*)", second, 604, 610, 910);
  run.record(second, 610, 910);
  run.call("cudaEventSynchronize", 612, 912);
  run.mark("end:learner", 912);
  return run.recording;
}

}  // namespace report
