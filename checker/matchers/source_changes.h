// source_changes.h: the matcher of how much of a file was changed.
//
//     EXPECT_THAT(run(), ChangesAtMost(25));
#pragma once

#include <cstddef>

#include "matchers/matcher.h"

namespace matchers {

/// No more than that many lines of the file as it comes are inserted, deleted or replaced by others: the fewest that lead from
/// one to the other. Comments, empty lines and spaces do not count. Fails with requirement_missed, naming the first line beyond
/// the limit.
matcher ChangesAtMost(std::size_t lines);

}  // namespace matchers
