#include "runner/margin.h"

#include <limits>
#include <regex>

namespace runner {

std::optional<margin> smallest_margin(const std::vector<report::criterion_result>& criteria) {
  static const std::regex limit(R"(at (least|most) (\d+(?:\.\d+)?).*)");
  static const std::regex number(R"((\d+(?:\.\d+)?).*)");
  std::optional<margin> smallest;
  for (const report::criterion_result& each : criteria) {
    if (each.verdict != report::criterion_verdict::pass || !each.measured) continue;
    std::smatch required, seen;
    if (!std::regex_match(each.measured->required, required, limit) ||
        !std::regex_match(each.measured->seen, seen, number)) {
      continue;
    }
    const bool is_upper_limit = required[1] == "most";
    const double above = std::stod(is_upper_limit ? required[2] : seen[1]);
    const double below = std::stod(is_upper_limit ? seen[1] : required[2]);
    const double ratio = below > 0 ? above / below : std::numeric_limits<double>::infinity();
    if (!smallest || ratio < smallest->ratio) smallest = margin{ratio, each.name};
  }
  return smallest;
}

}  // namespace runner
