// margin.h: the margin by which a solution passes.
//
//     const auto smallest = runner::smallest_margin(result.criteria);   // {1.43, "CopiesOverlapKernels"}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.h"

namespace runner {

/// The margin of the tightest criterion.
struct margin {
  double ratio = 0;  ///< measured by required, or allowed by measured; above 1 passes
  std::string criterion;
};

/// The smallest ratio among the criteria that passed with a measurement against a limit ("at least 0.60", "at
/// most 0.30"). Nothing when none has one.
std::optional<margin> smallest_margin(const std::vector<report::criterion_result>& criteria);

}  // namespace runner
