// copies.h: the matcher of what copies are for.
//
//     EXPECT_THAT(run(), CopiesNothingInVain());
#pragma once

#include "matchers/matcher.h"

namespace matchers {

/// What a copy brings is read before a later operation writes over all of it. Fails with requirement_missed, naming the copy
/// and what writes over it. Passes where the recording has no accesses, and says so in its note.
matcher CopiesNothingInVain();

}  // namespace matchers
