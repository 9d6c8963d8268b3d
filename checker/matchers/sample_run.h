// sample_run.h: recordings for the tests of the matchers, built by hand in microseconds. For tests only.
//
//     sample_run run;
//     run.copy_to_device(run.lane[0], {0, 100}, 12);   // stream, start and end, line of the call
//     const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
#pragma once

#include <string>
#include <string_view>

#include "matchers/run_facts.h"
#include "trace/recording.h"

namespace matchers {

struct microseconds_range {
  int begin = 0;
  int end = 0;
};

/// A recording with the default stream (1), two non-blocking streams, one pinned and one device allocation,
/// all of it the learner's part. Each operation is issued by a call of its own, 1 us long, at its start
/// unless `issued` says when.
class sample_run {
 public:
  sample_run();

  static constexpr trace::stream_id default_stream = 1;
  static constexpr trace::stream_id lane[2] = {2, 3};

  trace::operation_id copy_to_device(trace::stream_id stream, microseconds_range when, int line);
  trace::operation_id copy_to_host(trace::stream_id stream, microseconds_range when, int line);
  trace::operation_id kernel(trace::stream_id stream, microseconds_range when, int line);
  trace::operation_id host_function(trace::stream_id stream, microseconds_range when, int line);
  /// An event record, or a wait for an event (set `captured` in the recording).
  trace::operation_id marker(trace::operation_kind kind, trace::stream_id stream, int at, int line);
  trace::call_id call(const std::string& name, microseconds_range when, int line,
                      trace::stream_id stream = 0);
  /// Bytes of the allocation: 1 is the pinned one, 2 the device one.
  void touches(trace::operation_id operation, trace::allocation_id allocation, trace::access_mode mode);
  void host_reads(trace::allocation_id allocation, int line);
  trace::recording& recording() { return *observed_.runs.front().outcome.seen; }
  /// What the function that was checked answered.
  exercise::message& answer() { return observed_.runs.front().outcome.answer; }

  /// The whole recording as the learner's part.
  run_facts learner();
  run_facts part(std::string_view name) const { return {observed_, name}; }

  static constexpr int bytes = 1'000'000;

 private:
  trace::operation_id issue(trace::operation operation, const std::string& call_name, microseconds_range when,
                            int line);

  observations observed_;
};

}  // namespace matchers
