// taken_room.h: a kernel that waits because the blocks of another take all places.
//
//     tell_of_taken_room(run, answer, background, why);   // report::mistake::wrong_priority
#pragma once

#include "matchers/facts/run_facts.h"
#include "report/mistake.h"
#include "report/result.h"
#include "trace/recording.h"

namespace matchers {

/// Adds why the kernel that holds the places went first, and leads to the line that decides it.
report::mistake tell_of_taken_room(const run_facts& run, const trace::operation& late,
                                   const trace::operation& holder, report::evidence& why);

}  // namespace matchers
