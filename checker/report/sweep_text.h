// sweep_text.h: a sweep in a terminal: a table of the times, and a bar for each value of the second
// parameter.
//
//     fmt::print("{}", report::sweep_text(measured, {.width = 80}));
#pragma once

#include <string>

#include "report/sweep.h"
#include "report/timeline/timeline_text.h"

namespace report {

/// How the table looks.
struct sweep_look {
  int width = 100;  ///< columns in all; at least 40
  character_set characters = character_set::unicode;
};

/// Lines end with a newline and are not wider than `width`. Of many values it shows selected_values() and says so.
std::string sweep_text(const sweep& sweep, const sweep_look& look);

}  // namespace report
