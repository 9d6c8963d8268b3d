// margin.h: how far a solution is from failing.
//
//     const auto smallest = runner::smallest_margin(result.criteria);   // {1.43, "CopiesOverlapKernels"}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.h"

namespace runner {

/// How far the tightest criterion is from failing.
struct margin {
  double ratio = 0;       ///< measured by required, or allowed by measured; above 1 passes
  std::string criterion;  ///< where it is smallest
};

/// The smallest ratio among the criteria that passed with a measurement against a limit ("at least 0.60", "at
/// most 0.30"). Nothing when none has one.
std::optional<margin> smallest_margin(const std::vector<report::criterion_result>& criteria);

}  // namespace runner
