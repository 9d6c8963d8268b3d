// check_diagnostics.h: a verdict in the form of compiler errors, for editors.
#pragma once

#include <string>

#include "report/result.h"

namespace runner {

/// The compiler's output unchanged; then a line for each failed criterion, or for the run when there is
/// none: "lessons/03_async_copy/async_copy.cu:41:1: error: CopiesOverlapKernels: required ...; seen ...".
/// Where no line is known, line 1. "" when all is well.
std::string check_diagnostics(const report::result& result);

}  // namespace runner
