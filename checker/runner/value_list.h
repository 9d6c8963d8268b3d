// value_list.h: parses the value of an option like --chunks: "8", "1,2,4", "1..16", "1..4,8,16".
//
//     runner::values_in("1..4,8");   // 1 2 3 4 8
#pragma once

#include <string_view>
#include <vector>

namespace runner {

/// The values in order, without repetition. Throws cannot_do for other text, a descending range, or more than
/// 1000 values.
std::vector<int> values_in(std::string_view text);

}  // namespace runner
