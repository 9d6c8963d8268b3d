// styled_text.h: text with colours (SGR sequences, as verdict_text makes them) in lines of a terminal.
//
// Here: styles, and folding to a width. Not here: text of others, which report::harmless frees of sequences.
//
//     const runner::styles style{report::colour::on};
//     const auto lines = runner::folded(style.bold("Next") + "\n" + text, 80);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/verdict_text.h"

namespace runner {

/// The few styles of our screens; readable on light and on dark backgrounds. Without colour, plain text.
struct styles {
  report::colour colour = report::colour::off;  ///< off: all functions return the text

  /// Headings and names.
  std::string bold(std::string_view text) const { return styled("1", text); }
  /// What has passed: green.
  std::string good(std::string_view text) const { return styled("1;32", text); }
  /// What has failed: red.
  std::string bad(std::string_view text) const { return styled("1;31", text); }
  /// What runs: blue.
  std::string busy(std::string_view text) const { return styled("1;34", text); }
  /// The chosen line: inverted.
  std::string chosen(std::string_view text) const { return styled("7", text); }
  /// The text as a link to a file, for terminals that know OSC 8; others show the text.
  std::string link(std::string_view target, std::string_view text) const;

 private:
  std::string styled(std::string_view code, std::string_view text) const;
};

/// Columns of the text without its sequences.
int styled_width(std::string_view text);

/// The lines of the text, those wider than `width` continued on the next, from the last space on when that is
/// in the second half; a colour that is on goes on there.
std::vector<std::string> folded(std::string_view text, int width);

/// The first `width` columns of one line, with its colours ended.
std::string clipped(std::string_view line, int width);

}  // namespace runner
