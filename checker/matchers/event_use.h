// event_use.h: matchers of events: what is measured with them, and what waits for them.
//
//     EXPECT_THAT(run(), MeasuresWithEvents(kernels(), milliseconds).within(0.1));
#pragma once

#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// Events measure how long a kernel of the set takes: a timed event before and one after the last of them,
/// both in its stream; the first launch of the set is not between them; and the number that came back is the
/// duration of that kernel, but for the share `tolerance`. Fails with requirement_missed.
struct MeasuresWithEvents {
  /// `milliseconds` is what the learner's function returned.
  MeasuresWithEvents(operation_set operations, double milliseconds);
  /// 0.1: from 10 % below to 10 % above the duration of the kernel.
  matcher within(double tolerance) const;

 private:
  operation_set operations_;
  double milliseconds_;
};

/// The number of that name that came back is neither the time of the first launch of the set nor a mean that holds it. Seen where
/// each kernel takes another time (schedule slow_kernels). Fails with requirement_missed, naming the event that starts that time; passes where the
/// recording does not say when events happened.
matcher LeavesOutTheFirstLaunch(operation_set operations, std::string milliseconds);

/// No stream and no host call waits for an event before that event is recorded for the first time: such a wait
/// succeeds at once and waits for nothing. Fails with race_detected, naming the line.
matcher WaitsForRecordedEvents();

}  // namespace matchers
