// terminal.h: what is known about the place where the text goes.
#pragma once

#include "report/verdict_text.h"

namespace runner {

/// Where the program prints to.
enum class output_stream { standard, error };

/// Takes the cursor to the begin of its line and empties it, for a line of progress that is written again.
inline constexpr auto clear_line = "\r\x1b[K";

/// Whether a person may be reading it.
bool is_terminal(output_stream stream);

/// Whether standard input and output are a terminal that single keys and a whole screen can be used on.
bool can_watch();

/// Columns for a report on standard output: those of the terminal, at least 40 and at most 120; 100 without a terminal.
int report_width();

/// On when standard output is a terminal that can show colours and NO_COLOR is not set.
report::colour report_colour();

}  // namespace runner
