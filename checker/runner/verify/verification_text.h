// verification_text.h: the output of `streamlings verify`, as text and as JSON.
#pragma once

#include <string>

#include "runner/verify/verification.h"

namespace runner {

/// External links, the table of lessons, and the problems with their files and next steps.
std::string verification_text(const verification& found);

/// An object: "ok", "lessons", "problems", "links_outside", "rewritten". Ends with a newline.
std::string verification_json(const verification& found);

}  // namespace runner
