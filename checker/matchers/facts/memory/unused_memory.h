// unused_memory.h: elements of an array of the contract, such as slots or workers, whose memory no operation touched.
//
//     why.observation += unused_elements(run);   // " Of the 3 `slots`, only slots[0] and slots[1] are used."
#pragma once

#include <string>

#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// In a sentence that begins with a blank; "" where no memory has such a name ("slots[0].input"), or all elements of each array are
/// used, or none, or the accesses are not known.
std::string unused_elements(const run_facts& run);

/// Adds that sentence, quotes the lines that give the first place of the evidence its values, and leads first to the one among
/// them that chooses an element. False where there is no such sentence.
bool tell_of_unused_elements(const run_facts& run, report::evidence& why);

}  // namespace matchers
