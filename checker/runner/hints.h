// hints.h: the hints of a lesson, read from hints.md, and which of them comes next.
//
// A hint is a section "## Heading" of that file, weakest first; a line "for: Criterion, ..." right below the
// heading names the criteria (or words of verdicts) it helps with.
//
//     const auto hints = runner::parse_hints(text);
//     const int level = runner::next_hint(hints, seen, "CopiesOverlapKernels");
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

struct hint {
  int level = 0;  ///< its place in the file, from 1
  std::string heading;
  std::vector<std::string> helps_with;  ///< empty: with everything
  std::string text;                     ///< Markdown, no empty line at either end
};

std::vector<hint> parse_hints(std::string_view markdown);

/// The level of the weakest hint not seen yet: of those for `topic` first (a criterion or the word of a
/// verdict; "" when nothing is known), then of all. 0 when every hint was seen.
int next_hint(const std::vector<hint>& hints, const std::set<int>& seen, std::string_view topic);

}  // namespace runner
