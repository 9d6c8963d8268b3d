// explanation_text.h: an explanation for people: the most expensive cause first, then the cost of each cause, the
// attainable time, the engines, the critical path and the waits of the host.
//
//     fmt::print("{}", report::explanation_text(recording, explain::explanation_of(part, &gpu), {.width = 100}));
#pragma once

#include <string>

#include "explain/explain.h"
#include "trace/recording.h"

namespace report {

/// The layout of the text.
struct explanation_text_options {
  int width = 100;  ///< columns
};

/// The text; each line ends with a newline.
std::string explanation_text(const trace::recording& recording, const explain::explanation& why,
                             const explanation_text_options& options);

}  // namespace report
