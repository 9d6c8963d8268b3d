// measures_with_events.h: the matcher MeasuresWithEvents(kernels, milliseconds).within(tolerance).
#pragma once

#include <ostream>

#include "analysis/part.h"
#include "matchers/operation_set.h"
#include "report/result.h"

namespace matchers {

/// Matches a part in which events measured how long a kernel of the set takes: a timed event before and one
/// after the last of them, both in its stream; the first launch of all is not between them; and the number
/// that came back is the duration of that kernel, but for the share `tolerance`. Fails with
/// requirement_missed.
class measures_with_events_matcher {
 public:
  using is_gtest_matcher = void;
  measures_with_events_matcher(operation_set what, double milliseconds, double tolerance);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  bool has_the_right_value(const trace::recording& seen, const trace::operation& kernel,
                           report::evidence& why) const;

  operation_set what_;
  double milliseconds_;
  double tolerance_;
};

/// EXPECT_THAT(seen(), MeasuresWithEvents(...)...): the words of the matcher's sentence.
class MeasuresWithEvents {
 public:
  /// `milliseconds` is what the learner's function returned.
  MeasuresWithEvents(operation_set what, double milliseconds)
      : what_(std::move(what)), milliseconds_(milliseconds) {}
  /// 0.1: from 10 % below to 10 % above the duration of the kernel.
  measures_with_events_matcher within(double tolerance) const { return {what_, milliseconds_, tolerance}; }

 private:
  operation_set what_;
  double milliseconds_;
};

}  // namespace matchers
