// sample_run.h: recordings for the tests of the matchers, built by hand in microseconds. For tests only.
//
//     sample_run run;
//     run.copy_to_device(run.lane[0], {0, 100}, 12);   // stream, start and end, line of the call
//     const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
#pragma once

#include <string>
#include <string_view>

#include "matchers/facts/run_facts.h"
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
  /// One by which a thread goes on.
  trace::operation_id host_function(trace::stream_id stream, microseconds_range when, int line);
  /// An event record, or a wait for an event (set `captured` in the recording).
  trace::operation_id marker(trace::operation_kind kind, trace::stream_id stream, int time, int line);
  trace::call_id call(const std::string& name, microseconds_range when, int line,
                      trace::stream_id stream = 0);
  /// Bytes of the allocation: 1 is the pinned one, 2 the device one.
  void touches(trace::operation_id operation, trace::allocation_id allocation, trace::access_mode mode);
  void host_reads(trace::allocation_id allocation, int line);
  trace::recording& recording() { return *observed_.runs.front().outcome.recording; }
  learner_source& source() { return observed_.source; }
  /// The profile, for what is replayed; none: nothing is.
  std::optional<device::profile>& gpu() { return observed_.gpu; }
  /// What the function that was checked answered.
  exercise::message& answer(exercise::call call = exercise::call::repeated) {
    return observed_.runs.front().outcome.answers[call];
  }

  /// The whole recording as the learner's part.
  run_facts learner();
  run_facts part(std::string_view name) const { return {observed_, name}; }

  static constexpr int bytes = 1'000'000;

 private:
  trace::operation_id issue(trace::operation operation, const std::string& call_name, microseconds_range when,
                            int line);

  observations observed_;
};

/// A sample_run with the parts of calibration that attainable_time() reads, before the learner's part. Serial: 100 us
/// for each of two copies to the device, 150 us kernel, 100 us back, 450 us in all. Sixteen pieces of one copy take
/// 130 us, so each further copy costs 2 us. What a test adds is the learner's part.
class calibrated_sample_run : public sample_run {
 public:
  /// `duplex_length` (us): how long a copy takes beside one in the other direction, 100: no longer than alone.
  explicit calibrated_sample_run(std::uint32_t copy_engines = 2, int duplex_length = 100);

  /// A time of the learner's part, in microseconds since it began.
  static microseconds_range at(int begin, int end) { return {learner_begin + begin, learner_begin + end}; }
  /// What the test has added since the constructor.
  run_facts judged();

 private:
  static constexpr int learner_begin = 1000;
  std::vector<trace::mark> calibration_;
};

}  // namespace matchers
