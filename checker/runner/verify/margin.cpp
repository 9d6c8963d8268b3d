#include "runner/verify/margin.h"

#include <limits>

#include "parsing/pattern.h"

namespace runner {

std::optional<margin> smallest_margin(const std::vector<report::criterion_result>& criteria) {
  static const parsing::pattern limit(R"(at (least|most) (\d+(?:\.\d+)?).*)");
  static const parsing::pattern number(R"((\d+(?:\.\d+)?).*)");
  std::optional<margin> smallest;
  for (const report::criterion_result& criterion : criteria) {
    if (criterion.verdict != report::criterion_verdict::pass || !criterion.measured) continue;
    const auto required = limit.match(criterion.measured->required);
    const auto measured = number.match(criterion.measured->value);
    if (!required || !measured) continue;
    const bool is_upper_limit = required->at(1) == "most";
    const double above = std::stod(is_upper_limit ? required->at(2) : measured->at(1));
    const double below = std::stod(is_upper_limit ? measured->at(1) : required->at(2));
    const double ratio = below > 0 ? above / below : std::numeric_limits<double>::infinity();
    if (!smallest || ratio < smallest->ratio) smallest = margin{ratio, criterion.name};
  }
  return smallest;
}

}  // namespace runner
