// misuse_sentences.h: misuse in plain sentences.
//
//     report::misuse_sentences(recording, misuse)
//     // "cudaStreamWaitEvent (program.cu:30) waits for an event that the program never records: ..."
#pragma once

#include <string>
#include <string_view>

#include "analysis/misuse.h"
#include "trace/recording.h"

namespace report {

/// Misuse in a few words: "Memory is freed while it is in use".
std::string_view title_of(const analysis::misuse& misuse);

/// What happened and what to do about it, in one to three sentences.
std::string misuse_sentences(const trace::recording& recording, const analysis::misuse& misuse);

/// Why the backend refused the call, as a sentence with a full stop; "" when it did not say.
std::string reason_of_refusal(const trace::recording& recording, trace::call_id call);

}  // namespace report
