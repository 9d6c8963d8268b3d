#include "runner/lesson_hints.h"

#include <optional>

#include "runner/files.h"
#include "runner/lesson_check.h"

namespace runner {

std::vector<hint> hints_of(const course& course, const lesson& lesson) {
  return parse_hints(content_of(course.hints_of(lesson)).value_or(""));
}

std::vector<std::string> hint_topics(const course& course, const lesson& lesson) {
  const std::optional<report::result> last =
      last_result(course, lesson, whose_file::learner, backend::virtual_gpu);
  if (!last) return {};
  std::vector<std::string> topics{last->hint};
  for (const report::criterion_result& each : last->criteria) {
    if (each.verdict == report::criterion_verdict::fail && each.name != last->hint)
      topics.push_back(each.name);
  }
  return topics;
}

}  // namespace runner
