// value_list.h: the numbers that an option like --chunks takes: "8", "1,2,4", "1..16", "1..4,8,16".
//
//     runner::values_in("1..4,8");   // 1 2 3 4 8
#pragma once

#include <string_view>
#include <vector>

namespace runner {

/// The values in the order of the text, each once. Throws cannot_do when the text is something else, a range
/// runs backwards, or there are more than 1000 values.
std::vector<int> values_in(std::string_view text);

}  // namespace runner
