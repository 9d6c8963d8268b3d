#include "runner/learner/lesson_hints.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <set>

#include "processes/cannot_do.h"
#include "processes/files.h"
#include "runner/learner/lesson_check.h"
#include "runner/learner/progress.h"

namespace runner {

std::vector<hint> hints_of(const course::lesson& lesson) {
  return report::parse_hints(processes::content_of(lesson.hints()).value_or(""));
}

std::vector<failure> last_failures(const course::lesson& lesson) {
  const std::optional<report::result> last = last_result(lesson, {});
  return last ? failures_in(*last) : std::vector<failure>{};
}

bool has_passed(const course::lesson& lesson) {
  const std::optional<report::result> last = last_result(lesson, {});
  return last && last->verdict == report::run_verdict::pass;
}

shown_hint take_hint(const course::checkout& checkout, const course::lesson& lesson) {
  if (has_passed(lesson)) throw processes::cannot_do("The last check passed, so no hint is needed.");
  const std::vector<hint> hints = hints_of(lesson);
  state state = load_state(checkout);
  std::set<int>& levels_seen = state.hints_seen[lesson.slug];
  const chosen_hint next = next_hint(hints, levels_seen, last_failures(lesson));
  if (next.level == 0) {
    throw processes::cannot_do(fmt::format("{} All of them: ./streamlings hint {} --all",
                                           levels_seen.size() == hints.size()
                                               ? "You have seen every hint."
                                               : "No hint is left for what failed last.",
                                           lesson.two_digits()));
  }
  levels_seen.insert(next.level);
  save_state(checkout, state);
  return {title_of(hints, next), hints[static_cast<std::size_t>(next.level) - 1].text};
}

}  // namespace runner
