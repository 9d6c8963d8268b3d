// course_problem.h: a problem of the course that `streamlings verify` found.
#pragma once

#include <string>

namespace runner {

/// A problem and the file that has it.
struct course_problem {
  std::string file;     ///< relative to the checkout
  std::string message;  ///< one line or several
  std::string next;     ///< the author's next step
  bool operator==(const course_problem&) const = default;
};

}  // namespace runner
