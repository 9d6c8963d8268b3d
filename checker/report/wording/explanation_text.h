// explanation_text.h: an explanation as a learner reads it: the sentence that matters most first, then what
// each cause costs, what is attainable, the engines, the critical path, and the waits of the host.
//
//     fmt::print("{}", report::explanation_text(seen, explain::explanation_of(part, &gpu), {.width = 100}));
#pragma once

#include <string>
#include <string_view>

#include "explain/explain.h"
#include "report/wording/operation_names.h"

namespace report {

/// A cause in a few words: "work in the default stream".
std::string_view heading_of(explain::cause what);

/// What a cause did, in one sentence with the line: "The kernel scale 3 in the default stream could not start
/// before ... ended: ... (async_copy.cu:41)."
std::string sentence_of(const trace::recording& seen, const explain::cause_cost& what);

/// How to cure it, in one or two sentences.
std::string cure_of(const trace::recording& seen, const explain::cause_cost& what);

/// Why the operation did not start earlier, in one sentence; "" when it is not known. What is only inferred
/// is said to be "probably" so.
std::string sentence_of(const operation_names& names, const analysis::link& what);

/// The same for an operation, followed along its stream to the first one that was held up by something else.
std::string root_sentence_of(const operation_names& names, const analysis::reasons& why,
                             trace::operation_id operation);

/// How the text looks.
struct explanation_text_options {
  int width = 100;  ///< columns
};

/// The explanation for people, beginning with what costs most.
std::string explanation_text(const trace::recording& seen, const explain::explanation& why,
                             const explanation_text_options& options);

}  // namespace report
