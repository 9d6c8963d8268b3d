// check_json.h: what a check program prints with --json, for `streamlings verify` and other tools.
//
//     fmt::print("{}", checking::expectation_json(expected, result));
#pragma once

#include <string>

#include "checking/criterion.h"
#include "checking/expectation.h"
#include "report/result.h"

namespace checking {

/// An object: "as_expected", "leads_to" {"line" (0: none), "cause"}: see report_target, "expected" {"must_fail", "may_fail"}, "difference" (the table of difference(),
/// "" when there is none) and "result" (the record). Ends with a newline.
std::string expectation_json(const expectation& expected, const report::result& result);

/// An object: "criteria" (an array of {"name", "points", "title"}, in the order of check.cpp) and
/// "skeleton_fails"; for a lesson that can be swept "sweep" {"of", "parameters" (two of {"name", "least",
/// "most", "usual"})}. Ends with a newline.
std::string rubric_json(const rubric& rubric);

}  // namespace checking
