// words.h: shares and reasons in a sentence, beside the words of report/wording/names.h.
//
//     matchers::reason_to_wait(part, seen.operation_at(3));   // "Its copy engine was busy with ..."
#pragma once

#include <string>

#include "analysis/part.h"
#include "report/wording/names.h"
#include "trace/recording.h"

namespace matchers {

using report::in_words;
using report::place_of;

/// "62 %", rounded down, so that "60 %" is never said of less.
std::string percent(double fraction);

/// What held the operation of the part back until it started, followed along its stream to the root, as far
/// as that is in the part; "" when it is not known.
std::string reason_to_wait(const analysis::part& part, const trace::operation& what);

/// The learner's line in which the host was when it should have issued that, or what holds it up along its
/// stream; "" when the host did not hold it back there.
std::string line_that_held_back(const analysis::part& part, const trace::operation& what);

/// The first cause by cost of what the part lacks in overlap, in one sentence with its line, which is stored
/// in `where`; "" when nothing holds the work up.
std::string what_costs_most(const analysis::part& part, std::string& where);

}  // namespace matchers
