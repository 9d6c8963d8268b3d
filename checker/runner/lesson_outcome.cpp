#include "runner/lesson_outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace runner {

lesson_outcome outcome_of(const report::result& result) {
  return {result.verdict, report::points_of(result)};
}

std::string words_of(report::run_verdict verdict) {
  std::string words(report::word_of(verdict));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string outcome_mark(const lesson_outcome& outcome, const styles& style) {
  if (outcome.verdict == report::run_verdict::pass) return style.good("[pass]");
  return report::exit_status_of(outcome.verdict) == 2 ? style.bold("[ -- ]") : style.bad("[FAIL]");
}

std::string outcome_line(std::string_view name, const lesson_outcome& outcome, const styles& style) {
  const std::string line = fmt::format("{} {}", outcome_mark(outcome, style), name);
  if (outcome.verdict == report::run_verdict::pass) return line;
  return fmt::format("{}: {}, {} points", line, words_of(outcome.verdict), outcome.points);
}

}  // namespace runner
