// overlapping.h: matchers of what runs at the same time.
//
//     EXPECT_THAT(run(), Overlaps(copies(), kernels()).at_least(0.6));
//     EXPECT_THAT(run(), RunAtOnce(kernels()).on_average_at_least(2.5));
//     EXPECT_THAT(run(), KeepsBusy(kernels()).at_least(0.85));
#pragma once

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// Both sets run at the same time for at least `fraction` of the shorter one's busy time (see
/// analysis::overlap_facts). Fails with no_overlap.
struct Overlaps {
  Overlaps(operation_set first, operation_set second);
  /// `fraction` is from 0 (exclusive: no overlap would do) to 1.
  matcher at_least(double fraction) const;

 private:
  operation_set first_, second_;
};

/// So many of the operations run at a time, on average over the time in which any of them runs: 1.0 when they
/// run one after another. Fails with no_overlap.
struct RunAtOnce {
  explicit RunAtOnce(operation_set operations);
  /// The learner's function of that name chose how many streams there are, the answer of that name. `numbers`: a sentence of what it
  /// could choose by, for a failure; "": none.
  RunAtOnce in_streams_from(std::string chooser, std::string numbers = "") const;
  matcher on_average_at_least(double count) const;

 private:
  operation_set operations_;
  std::string chooser_{};
  std::string numbers_{};
};

/// Some operation of the set runs for at least `fraction` of the time from the start of the first to the end
/// of the last: a steady pipeline. What fills and drains it does not count. Fails with too_slow, naming the
/// longest pause and what came after it.
struct KeepsBusy {
  explicit KeepsBusy(operation_set operations);
  /// `fraction` is from 0 (exclusive) to 1.
  matcher at_least(double fraction) const;

 private:
  operation_set operations_;
};

}  // namespace matchers
