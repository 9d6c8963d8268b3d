// returns.h: the matcher Returns(name, expected).in_batches_of(elements).
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "matchers/scheduled_run.h"

namespace matchers {

/// Matches runs that all answered with a buffer of floats of that name equal to `expected`, bit for bit.
/// Fails with wrong_answer, naming the schedule, the first wrong element, and what its value tells (see
/// poison.h); with infra_error when a run has no such buffer or one of another size.
class Returns {
 public:
  using is_gtest_matcher = void;
  Returns(std::string name, std::vector<float> expected);

  /// Speaks of batches of that many elements, under the name that the lesson gives them, and recognises the
  /// result of another batch. 0: one batch.
  Returns in_batches_of(std::size_t elements, std::string called = "batch") const;

  bool MatchAndExplain(const std::vector<scheduled_run>& runs, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  bool is_right_in(const scheduled_run& run, std::ostream* explanation) const;
  std::string place_of_element(std::size_t index) const;
  std::string what_the_value_tells(std::size_t index, float found) const;

  std::string name_;
  std::vector<float> expected_;
  std::size_t batch_elements_ = 0;
  std::string batch_ = "batch";
};

}  // namespace matchers
