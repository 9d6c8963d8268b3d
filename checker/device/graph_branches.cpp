#include "device/graph_branches.h"

#include <algorithm>

namespace device {

std::uint32_t graph_branches::add(const std::vector<std::size_t>& after) {
  const std::size_t node = nodes_++;
  const auto goes_on = std::find_if(ends_.begin(), ends_.end(), [&](std::size_t end) {
    return std::find(after.begin(), after.end(), end) != after.end();
  });
  const auto branch = static_cast<std::uint32_t>(goes_on - ends_.begin());
  if (goes_on == ends_.end()) {
    ends_.push_back(node);
  } else {
    *goes_on = node;
  }
  return branch;
}

}  // namespace device
