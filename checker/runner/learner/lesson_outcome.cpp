#include "runner/learner/lesson_outcome.h"

#include <fmt/format.h>

namespace runner {

lesson_outcome outcome_of(const report::result& result) {
  return {result.verdict, report::points_of(result)};
}

std::string outcome_mark(const lesson_outcome& outcome, const styles& style) {
  if (outcome.verdict == report::run_verdict::pass) return style.good("[pass]");
  return report::exit_status_of(outcome.verdict) == report::exit_status::undecided ? style.bold("[ -- ]")
                                                                                   : style.bad("[FAIL]");
}

std::string outcome_line(std::string_view name, const lesson_outcome& outcome, const styles& style) {
  const std::string line = fmt::format("{} {}", outcome_mark(outcome, style), name);
  if (outcome.verdict == report::run_verdict::pass) return line;
  return fmt::format("{}: {}, {} points", line, report::words_of(outcome.verdict), outcome.points);
}

}  // namespace runner
