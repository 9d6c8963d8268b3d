// pinned_in.h: what a part pinned.
#pragma once

#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// The pinned memory that calls of the part allocated or registered, in the order of those calls.
std::vector<trace::allocation> pinned_in(const analysis::part& of);

}  // namespace matchers
