// cannot_do.h: something that the user asked for could not be done.
#pragma once

#include <stdexcept>

namespace processes {

/// Usage, setup, a file that is missing: exit status 2. The message says what to do next.
class cannot_do : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace processes
