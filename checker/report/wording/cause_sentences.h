// cause_sentences.h: the causes of missing overlap and their cures, in words. Each cause is one row of a table.
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

/// "work in the default stream".
std::string_view heading_of(explain::cause cause);

/// The effect of a cause in one sentence with the line: "The kernel scale 3 in the default stream could not start
/// before ... ended: ... (async_copy.cu:41)."
std::string sentence_of(const trace::recording& recording, const explain::cause_cost& cost);

/// The cure in one or two sentences.
std::string cure_of(const trace::recording& recording, const explain::cause_cost& cost);

}  // namespace report
