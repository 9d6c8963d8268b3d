// sweep_json.h: a sweep as JSON, for programs; docs/sweep.md describes the form.
#pragma once

#include <string>
#include <string_view>

#include "report/sweep.h"

namespace report {

/// One object with "version" 1, ended by a newline.
std::string sweep_json(const sweep& sweep);

/// Throws std::runtime_error with the reason.
sweep sweep_from_json(std::string_view text);

}  // namespace report
