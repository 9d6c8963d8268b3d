// misuse_sentences.h: misuse in plain sentences.
//
//     report::describe(seen, found)
//     // "cudaStreamWaitEvent (program.cu:30) waits for an event that the program never records: ..."
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/misuse.h"
#include "trace/recording.h"

namespace report {

/// A stable word for the kind: "freed_while_in_use"; for what the backend reported, its own word.
std::string_view rule_of(const trace::recording& seen, const analysis::misuse& found);

/// What happened and what to do about it, in one to three sentences.
std::string describe(const trace::recording& seen, const analysis::misuse& found);

/// The lines to look at, the most telling first.
std::vector<trace::location> places_of(const trace::recording& seen, const analysis::misuse& found);

/// Why the backend refused the call, as a sentence with a full stop; "" when it did not say.
std::string reason_of_refusal(const trace::recording& seen, trace::call_id call);

}  // namespace report
