#include "runner/learner/lesson_hints.h"

#include <optional>

#include "processes/files.h"
#include "runner/learner/lesson_check.h"

namespace runner {

std::vector<hint> hints_of(const course::lesson& lesson) {
  return parse_hints(processes::content_of(lesson.hints()).value_or(""));
}

std::vector<failure> last_failures(const course::lesson& lesson) {
  const std::optional<report::result> last = last_result(lesson, {});
  return last ? failures_of(*last) : std::vector<failure>{};
}

bool has_passed(const course::lesson& lesson) {
  const std::optional<report::result> last = last_result(lesson, {});
  return last && last->verdict == report::run_verdict::pass;
}

}  // namespace runner
