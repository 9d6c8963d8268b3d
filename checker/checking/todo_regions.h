// todo_regions.h: the parts of a skeleton that the learner completes, and whether a solution keeps to them.
//
// A region begins with a line "// TODO 1: ..." (in a solution "// TODO 1, done: ...") and ends with the line
// "// end of TODO 1".
//
//     std::string problem = checking::difference_outside_todos(skeleton, solution);   // "" when there is
//     none
#pragma once

#include <string>
#include <string_view>

namespace checking {

/// Compares two texts with the inside of their regions left out. Returns "" when the rest is equal and both
/// have the same regions, at least one; else one sentence that names the first line that differs.
std::string difference_outside_todos(std::string_view skeleton, std::string_view solution);

}  // namespace checking
