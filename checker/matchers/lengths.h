// lengths.h: matchers of how long work takes beside what calibration measured.
//
//     EXPECT_THAT(run(), Lasts(background).at_most(1.25, background_alone()));
//     EXPECT_THAT(run(), WorkInFull(kernels()).in_every_launch(kernel_alone()));
//     EXPECT_THAT(run(), PartsLast("request", 3).at_most(1.5, attainable()));
#pragma once

#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"
#include "trace/recording.h"

namespace matchers {

/// The operations of a set, from the start of the first to the end of the last, take no longer than `times`
/// their length with nothing else on the device. Fails with too_slow.
struct Lasts {
  explicit Lasts(operation_set operations);
  /// The learner's function of that name chose how many streams there are, the answer of that name.
  Lasts in_streams_from(std::string chooser) const;
  /// `alone` comes from a run of the same work with nothing beside it; `compared` says so where it is another time.
  matcher at_most(double times, trace::nanoseconds alone, std::string compared = "alone") const;

 private:
  operation_set operations_;
  std::string chooser_{};
};

/// The operations of a set take hardly less than the work that is asked of them takes alone, so none of it is left out.
/// Fails with requirement_missed, naming the shortest.
struct WorkInFull {
  explicit WorkInFull(operation_set operations);
  /// `alone`: the length of one launch, as calibration measured or chose it.
  matcher in_every_launch(trace::nanoseconds alone) const;
  /// `alone`: the length of the work of all launches.
  matcher together(trace::nanoseconds alone) const;

 private:
  operation_set operations_;
};

/// The parts "NAME 0" to "NAME count - 1" (exercise::begin_part) inside this part all end, each within `times` what
/// is attainable at worst. Fails with too_slow, naming the slowest and the work it contains; with
/// requirement_missed when one never began or ended.
struct PartsLast {
  PartsLast(std::string name, int count);
  matcher at_most(double times, trace::nanoseconds attainable) const;

 private:
  std::string name_;
  int count_;
};

}  // namespace matchers
