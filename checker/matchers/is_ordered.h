// is_ordered.h: the matcher of order.
//
//     EXPECT_THAT(run(), IsOrdered());
#pragma once

#include "matchers/matcher.h"

namespace matchers {

/// The part has no races: every two conflicting accesses are ordered by a stream, an event or a wait (see
/// analysis::find_races). Fails with race_detected; not observable when the recording has no accesses.
matcher IsOrdered();

}  // namespace matchers
