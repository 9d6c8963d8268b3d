// misplaced_pieces.h: copies of one line whose lengths fit the memory that they write, and which overlap all the same.
//
//     why.observation += tell_of_misplaced_pieces(run, copy, why);   // "The 8 copies of a.cu:6 are together as long as ..."
#pragma once

#include <string>

#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// Of that copy and the others of its line: says that they begin in the wrong places, and leads first to the line that computes
/// these, where that is one. "" when they do not overlap, or are together not as long as the memory.
std::string tell_of_misplaced_pieces(const run_facts& run, trace::operation_id copy, report::evidence& why);

}  // namespace matchers
