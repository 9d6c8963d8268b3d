// explanation_json.h: an explanation for programs; docs/explain.md describes the form.
#pragma once

#include <string>

#include "explain/explain.h"

namespace report {

/// Raised when a change of the form breaks readers.
inline constexpr int explanation_format_version = 1;

/// One JSON object and a line break. Times are nanoseconds. Costs are shares of the gap between `took` and `floor`.
std::string explanation_json(const trace::recording& recording, const explain::explanation& why);

}  // namespace report
