// sample_runs.h: for tests: small recordings with round numbers.
#pragma once

#include <string>

#include "trace/recording.h"

namespace report {

/// Builds a recording call by call; times are microseconds from the start of the run.
class sample_run {
 public:
  sample_run();

  /// A created stream; ids count from 2, since 1 is the legacy default stream.
  trace::stream_id stream();
  void mark(const std::string& name, int time);
  /// A call that issues nothing.
  void call(const std::string& name, int start, int end, trace::thread_id thread = 1);
  void host_work(int start, int end) { call("host_work", start, end); }
  void copy_to_device(trace::stream_id stream, int issued, int start, int end);
  void copy_to_host(trace::stream_id stream, int issued, int start, int end);
  void kernel(const std::string& name, trace::stream_id stream, int issued, int start, int end);
  /// cudaMemcpy: the host waits from `issued` to `end`.
  void synchronous_copy(trace::memory_kind source, trace::memory_kind destination, int issued, int start,
                        int end);
  void memset(trace::stream_id stream, int issued, int start, int end);
  void record(trace::stream_id stream, int issued, int time);
  void wait(trace::stream_id stream, int issued, int time);

  trace::recording recording;

 private:
  trace::operation& issue(const std::string& call_name, trace::operation_kind kind, trace::stream_id stream,
                          int issued, int returned, int start, int end);
};

/// Three batches, each copied, scaled and copied back by calls that wait; then the host's own work.
trace::recording serial_sample();

/// The same work queued on two streams, so that copies run while kernels run; the host works meanwhile.
trace::recording overlapped_sample();

/// A hundred short kernels on two streams with events between them: more operations than columns.
trace::recording crowded_sample();

}  // namespace report
