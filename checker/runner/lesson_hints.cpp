#include "runner/lesson_hints.h"

#include <optional>

#include "processes/files.h"
#include "runner/lesson_check.h"

namespace runner {

std::vector<hint> hints_of(const course& course, const lesson& lesson) {
  return parse_hints(processes::content_of(course.hints_of(lesson)).value_or(""));
}

std::vector<failure> last_failures(const course& course, const lesson& lesson) {
  const std::optional<report::result> last =
      last_result(course, lesson, whose_file::learner, backend::virtual_gpu);
  return last ? failures_of(*last) : std::vector<failure>{};
}

}  // namespace runner
