// terminal.h: properties of the terminal that output goes to.
#pragma once

#include "report/verdict_text.h"

namespace runner {

/// Where the program prints to.
enum class output_stream { standard, error };

/// Returns the cursor to the start of the line and clears it, for progress lines.
inline constexpr auto clear_line = "\r\x1b[K";

/// True when the stream is a terminal.
bool is_terminal(output_stream stream);

/// Whether standard input and output are a terminal that single keys and a whole screen can be used on.
bool can_watch();

/// Columns for a report on standard output: those of the terminal, at least 40 and at most 120; 100 without a terminal.
int report_width();

/// On when standard output is a terminal that can show colours and NO_COLOR is not set.
report::colour report_colour();

}  // namespace runner
