// hints.h: the hints of a lesson, read from hints.md, and which of them comes next.
//
// A hint is a section "## Heading" of that file, weakest first; a line "for: Criterion, ..." right below the
// heading names the criteria (or words of verdicts) it helps with.
//
//     const auto hints = runner::parse_hints(text);
//     const int level = runner::next_hint(hints, seen, {"CopiesOverlapKernels"}).level;
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// One section of hints.md.
struct hint {
  int level = 0;                        ///< its place in the file, from 1
  std::string heading;                  ///< without marks
  std::vector<std::string> helps_with;  ///< empty: with everything
  std::string text;                     ///< Markdown, no empty line at either end
};

/// All hints, weakest first; text above the first heading is none.
std::vector<hint> parse_hints(std::string_view markdown);

/// A hint, and the criterion (or word of a verdict) for which it was chosen; "" when for none.
struct chosen_hint {
  int level = 0;      ///< 0: every hint was seen
  std::string topic;  ///< one of those asked for, or ""
};

/// The weakest hint not seen yet: of those for the first topic, then for the next, and so on, then of all.
chosen_hint next_hint(const std::vector<hint>& hints, const std::set<int>& seen,
                      const std::vector<std::string>& topics);

}  // namespace runner
