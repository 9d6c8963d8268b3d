// is_ordered.h: the matcher of order.
//
//     EXPECT_THAT(run(), IsOrdered());
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// The part has no races: every two conflicting accesses are ordered by a stream, an event or a wait (see
/// analysis::find_races), and frees no memory that work may still use. Fails with race_detected; not observable without accesses.
/// `plan`: as of QueuesChunks(); what is not in the stream whose turn it is then comes before advice for its order.
matcher IsOrdered(std::string plan = "");

}  // namespace matchers
