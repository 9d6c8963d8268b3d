// expectation.h: what the first line of a right or wrong answer says will fail, and whether just that came
// out.
//
//     // fails: CopiesOverlapKernels also: HostQueuesAllWorkBeforeWaiting, EveryElementIsRight
//     // fails: verdict:compile_error
//
// The first must fail, those after "also:" may, and no others. A file without that line must pass everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checking/criterion.h"
#include "report/result.h"

namespace checking {

/// What the first line of a right or wrong answer says about it.
struct expectation {
  std::string must_fail;              ///< a criterion, or "verdict:" and a run verdict; "" for a right answer
  std::vector<std::string> may_fail;  ///< names of criteria that may fail beside it
  bool operator==(const expectation&) const = default;
};

/// Reads the first line of a file. Throws std::invalid_argument when it starts like a declaration but names
/// nothing, or names what is neither a criterion of the rubric nor a verdict.
expectation expectation_of(std::string_view first_line, const rubric& rubric);

/// What failed: names of criteria, or one "verdict:..." when the run did not get as far as the criteria.
std::vector<std::string> failures_of(const report::result& result);

/// How what came out compares with what was declared.
enum class agreement {
  as_expected,
  otherwise,
  undecided,  ///< a real GPU did not tell: not observable, inconclusive, or it can do what the virtual GPU
              ///< cannot
};

/// Whether what was expected came out. Of the virtual GPU, which sees everything, nothing stays undecided.
agreement agreement_of(const expectation& expected, const report::result& result);

/// Nothing when what was expected came out; else a table of what was expected and what happened.
std::string difference(const expectation& expected, const report::result& result);

}  // namespace checking
