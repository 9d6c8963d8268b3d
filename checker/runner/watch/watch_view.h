// watch_view.h: the watch screen, as lines of a terminal of any size.
//
// Pure: the same model, size and styles give the same lines. On a small terminal nothing is left out: the
// verdict and its first reason come first, the rest is reached by scrolling.
//
//     screen.show(runner::watch_lines(model, screen.size(), style));
#pragma once

#include <string>
#include <vector>

#include "runner/terminal/screen.h"
#include "runner/terminal/styled_text.h"
#include "runner/watch/watch_model.h"

namespace runner {

/// Exactly size.rows lines, none wider than size.columns.
std::vector<std::string> watch_lines(const watch_model& model, screen_size size, const styles& style);

/// The largest model.scroll that still moves the page.
int last_scroll(const watch_model& model, screen_size size, const styles& style);

/// The text printed to the shell when the screen is closed.
std::string farewell(const watch_model& model);

}  // namespace runner
