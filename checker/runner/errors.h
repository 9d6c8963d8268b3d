// errors.h: the two ways in which a verb of the program ends without a verdict.
#pragma once

#include <stdexcept>

namespace runner {

/// Usage, setup, a file that is not there: exit status 2. The message says what to do next.
class cannot_do : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ctrl-C and its like, after everything that was started is gone: the program ends by that signal.
struct interrupted {
  int signal = 0;  ///< its number
};

}  // namespace runner
