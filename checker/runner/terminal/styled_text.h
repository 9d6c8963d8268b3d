// styled_text.h: text with colours (SGR sequences, as verdict_text makes them) in lines of a terminal.
//
// Not here: removing sequences from untrusted text (report::harmless).
//
//     const runner::styles style{report::colour::on};
//     const auto lines = runner::folded(style.bold("Next") + "\n" + text, 80);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/verdict_text.h"

namespace runner {

/// The styles of our screens, readable on light and dark backgrounds.
struct styles {
  report::colour colour = report::colour::off;  ///< off: all functions return the text unchanged

  /// Headings and names.
  std::string bold(std::string_view text) const { return styled("1", text); }
  /// Passed: green.
  std::string good(std::string_view text) const { return styled("1;32", text); }
  /// Failed: red.
  std::string bad(std::string_view text) const { return styled("1;31", text); }
  /// Running: blue.
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

/// The lines of the text, folded at `width`: at the last space of the second half, else anywhere. A colour
/// continues on the next line.
std::vector<std::string> folded(std::string_view text, int width);

/// The first `width` columns of one line, with its colours ended.
std::string clipped(std::string_view line, int width);

}  // namespace runner
