// course_problem.h: one thing that `streamlings verify` found wrong in the course.
#pragma once

#include <string>

namespace runner {

/// One line of the report to the author.
struct course_problem {
  std::string file;  ///< relative to the checkout
  std::string message;  ///< what is wrong, one line or several
  std::string next;  ///< what the author does about it
  bool operator==(const course_problem&) const = default;
};

}  // namespace runner
