// host_works_while.h: the matcher HostWorksWhile(operations).at_least(fraction).
//
//     EXPECT_THAT(seen(), HostWorksWhile(copies()).at_least(0.7).in_calls(6));
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <utility>

#include "analysis/part.h"
#include "matchers/operation_set.h"

namespace matchers {

/// Matches a part in which the host worked (host_work() of workload.h) and some of the operations were
/// running for at least `fraction` of that time. Fails with requirement_missed.
class host_works_while_matcher {
 public:
  using is_gtest_matcher = void;
  host_works_while_matcher(operation_set operations, double fraction);

  /// Matches only when the host worked that many times.
  host_works_while_matcher in_calls(std::size_t count) const;

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set operations_;
  double fraction_;
  std::optional<std::size_t> calls_;
};

/// EXPECT_THAT(seen(), HostWorksWhile(...)...): the words of the matcher's sentence.
class HostWorksWhile {
 public:
  explicit HostWorksWhile(operation_set operations) : operations_(std::move(operations)) {}
  /// `fraction` of the time in which the host worked, from 0 (exclusive) to 1.
  host_works_while_matcher at_least(double fraction) const { return {operations_, fraction}; }

 private:
  operation_set operations_;
};

}  // namespace matchers
