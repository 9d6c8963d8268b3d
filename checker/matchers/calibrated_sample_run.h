// calibrated_sample_run.h: sample_run with the parts of calibration that attainable_time() reads. For tests
// only.
//
// Serial: 100 us for each of two copies to the device, 150 us kernel, 100 us back, 450 us in all. Sixteen
// pieces of one copy take 130 us, so each further copy costs 2 us. What a test adds is the learner's part.
//
//     calibrated_sample_run run;
//     run.copy_to_device(run.lane[0], run.at(0, 100), 12);
//     const verdict found = ReachesOverlapEfficiency().at_least(0.8).match(run.judged());
#pragma once

#include "matchers/sample_run.h"

namespace matchers {

/// A sample_run with the three parts of calibration before the learner's part.
class calibrated_sample_run : public sample_run {
 public:
  /// `duplex_length` (us): how long a copy takes beside one in the other direction, 100: no longer than
  /// alone.
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
