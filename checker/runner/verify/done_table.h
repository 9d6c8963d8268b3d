// done_table.h: the table below "## Done means" in the page of a lesson. Its last three columns come from
// runs.
//
//     | Criterion | What it asks | As it comes | Solved | Required |
//     |---|---|---|---|---|
//     | `CopiesOverlapKernels` | Copies run while kernels run | 0.00 | 0.86 | at least 0.60 |
//
//     page = runner::with_measured_columns(page, runner::done_rows(skeleton.criteria, solution.criteria));
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace runner {

/// The line that heads the table.
inline constexpr std::string_view done_table_head =
    "| Criterion | What it asks | As it comes | Solved | Required |";

/// The measured cells of one criterion.
struct done_row {
  std::string as_it_comes;  ///< measured, else "yes" or "no"
  std::string solved;       ///< measured, else "yes" or "no"
  std::string required;     ///< "at least 0.60", else "yes"
};

/// The rows by criterion, from the checks of skeleton and solution.
std::map<std::string, done_row> done_rows(const std::vector<report::criterion_result>& skeleton,
                                          const std::vector<report::criterion_result>& solution);

/// The page with the last three cells of these rows replaced. Throws std::runtime_error with the line for a
/// row without five cells.
std::string with_measured_columns(std::string_view page, const std::map<std::string, done_row>& rows);

}  // namespace runner
