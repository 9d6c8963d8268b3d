// margin.h: how far a solution is from failing.
//
//     const auto least = runner::smallest_margin({{"CopiesOverlapKernels", "0.86, required 0.60"}}); // 1.43
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runner {

/// How far a run is from failing.
struct margin {
  double ratio = 0;       ///< measured by required, or allowed by measured; above 1 passes
  std::string criterion;  ///< where it is smallest
};

/// The smallest ratio in the notes ({criterion, note}) that state a measurement: "0.86, required 0.60", or
/// for an upper limit "0.10, allowed 0.25". Nothing when no note does.
std::optional<margin> smallest_margin(const std::vector<std::pair<std::string, std::string>>& notes);

}  // namespace runner
