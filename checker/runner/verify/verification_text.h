// verification_text.h: what `streamlings verify` prints: for people, and as JSON.
#pragma once

#include <string>

#include "runner/verify/verification.h"

namespace runner {

/// The links outside, the table of lessons, and what failed with the file and the next step.
std::string verification_text(const verification& found);

/// An object: "ok", "lessons", "problems", "links_outside", "rewritten". Ends with a newline.
std::string verification_json(const verification& found);

}  // namespace runner
