// explanation_text.h: an explanation as a learner reads it: the sentence that matters most first, then what
// each cause costs, what is attainable, the engines, the critical path, and the waits of the host.
//
//     fmt::print("{}", report::explanation_text(recording, explain::explanation_of(part, &gpu), {.width = 100}));
#pragma once

#include <string>

#include "explain/explain.h"
#include "trace/recording.h"

namespace report {

/// How the text looks.
struct explanation_text_options {
  int width = 100;  ///< columns
};

/// The explanation for people, beginning with what costs most.
std::string explanation_text(const trace::recording& recording, const explain::explanation& why,
                             const explanation_text_options& options);

}  // namespace report
