// parts_last.h: the matcher PartsLast(name, count).at_most(times, attainable).
#pragma once

#include <ostream>
#include <string>
#include <utility>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// Matches a part inside which the parts "NAME 1" to "NAME count" (exercise::begin_part) all ended, each
/// within `times` what is attainable at worst. Fails with too_slow, naming the slowest and the work it
/// contains; with requirement_missed when one never began or ended.
class parts_last_matcher {
 public:
  using is_gtest_matcher = void;
  parts_last_matcher(std::string name, int count, double times, trace::nanoseconds attainable);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::string name_;
  int count_;
  double times_;
  trace::nanoseconds attainable_;
};

/// EXPECT_THAT(seen(), PartsLast(...).at_most(...)): the words of the matcher's sentence.
class PartsLast {
 public:
  PartsLast(std::string name, int count) : name_(std::move(name)), count_(count) {}
  /// How many times the attainable time the parts may last.
  parts_last_matcher at_most(double times, trace::nanoseconds attainable) const {
    return {name_, count_, times, attainable};
  }

 private:
  std::string name_;
  int count_;
};

}  // namespace matchers
