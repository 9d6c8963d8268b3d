// cause_sentences.h: what keeps work from overlapping, and how it is cured. Each cause is one row of a table.
//
//     report::sentence_of(recording, why.causes.front()) + " " + report::cure_of(recording, why.causes.front())
#pragma once

#include <string>
#include <string_view>

#include "explain/explain.h"
#include "trace/recording.h"

namespace report {

/// The stable word of a cause: "default_stream".
std::string_view word_of(explain::cause cause);

/// A cause in a few words: "work in the default stream".
std::string_view heading_of(explain::cause cause);

/// What a cause did, in one sentence with the line: "The kernel scale 3 in the default stream could not start
/// before ... ended: ... (async_copy.cu:41)."
std::string sentence_of(const trace::recording& recording, const explain::cause_cost& cost);

/// How to cure it, in one or two sentences.
std::string cure_of(const trace::recording& recording, const explain::cause_cost& cost);

}  // namespace report
