// sweep_parameter.h: one of the two numbers that a sweep of a lesson varies.
#pragma once

#include <string>
#include <vector>

namespace course {

/// A parameter of the lesson's function, with the values that its contract allows.
struct sweep_parameter {
  /// What it counts: "chunks".
  std::string name;
  int min = 1;
  int max = 1;
  /// Swept when nothing else is asked for.
  std::vector<int> usual;
};

}  // namespace course
