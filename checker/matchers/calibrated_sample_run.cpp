#include "matchers/calibrated_sample_run.h"

#include <string>

namespace matchers {

namespace {

trace::mark mark_now(const trace::recording& recording, const std::string& name) {
  return {.name = name,
          .time = recording.end,
          .after = static_cast<trace::call_id>(recording.calls.size()),
          .after_operation = static_cast<trace::operation_id>(recording.operations.size())};
}

}  // namespace

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
