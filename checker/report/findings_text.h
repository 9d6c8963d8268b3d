// findings_text.h: findings for people.
#pragma once

#include <string>
#include <vector>

#include "analysis/mistakes.h"
#include "report/finding.h"
#include "trace/recording.h"

namespace report {

/// Findings beyond this number are only counted.
inline constexpr int max_findings_of_category = 5;

/// Each finding under its title, with its lines; "" when there is none. Lines are at most `width` columns.
///
///     race: A result is read before it is ready
///       sum.cu:30, sum.cu:24
///       The device-to-host copy in stream 2 (sum.cu:24) writes bytes 0 to 4095 of ...
std::string findings_text(const std::vector<finding>& findings, int width);

/// Of a run without a finding: "no race between operations, no misuse and no leak found in 12 calls and 7 operations". What was not looked
/// for is not named so; a sentence says why.
std::string nothing_found_text(const trace::recording& recording, const analysis::mistakes& mistakes,
                               analysis::program_end end);

}  // namespace report
