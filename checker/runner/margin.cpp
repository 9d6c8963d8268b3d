#include "runner/margin.h"

#include <limits>
#include <regex>

namespace runner {

std::optional<margin> smallest_margin(const std::vector<std::pair<std::string, std::string>>& notes) {
  static const std::regex measurement(R"((\d+(?:\.\d+)?)[^\d,;]*, (required|allowed) (\d+(?:\.\d+)?))");
  std::optional<margin> smallest;
  for (const auto& [criterion, note] : notes) {
    for (std::sregex_iterator each(note.begin(), note.end(), measurement), end; each != end; ++each) {
      const bool is_upper_limit = (*each)[2] == "allowed";
      const double measured = std::stod((*each)[1]);
      const double required = std::stod((*each)[3]);
      const double above = is_upper_limit ? required : measured;
      const double below = is_upper_limit ? measured : required;
      const double ratio = below > 0 ? above / below : std::numeric_limits<double>::infinity();
      if (!smallest || ratio < smallest->ratio) smallest = margin{ratio, criterion};
    }
  }
  return smallest;
}

}  // namespace runner
