// asks_for_copy_engines.h: the matcher AsksForCopyEngines(name).
#pragma once

#include <ostream>
#include <string>

#include "exercise/message.h"
#include "matchers/scheduled_run.h"

namespace matchers {

/// Matches a run whose learner's part asked the device (cudaDeviceGetAttribute or cudaGetDeviceProperties)
/// and whose answer holds, under `name`, the number of copy engines of device 0. Fails with
/// requirement_missed; not observable when the recording names no device.
class AsksForCopyEngines {
 public:
  using is_gtest_matcher = void;
  explicit AsksForCopyEngines(std::string name) : name_(std::move(name)) {}

  bool MatchAndExplain(const scheduled_run& run, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::string name_;
};

}  // namespace matchers
