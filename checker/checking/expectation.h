// expectation.h: what the first lines of a right or wrong answer declare, and whether just that came out.
//
//     // fails: CopiesOverlapKernels also: HostQueuesAllWorkBeforeWaiting, EveryElementIsRight
//     // where: 14 cause: one_stream
//
//     // fails: verdict:compile_error
//     // where: none
//
//     // on a GPU: CopiesOverlapKernels
//
// The first criterion must fail, those after "also:" may, and no others. The report of the first must name that line
// of the file before any other, or as one that called the function of the first, and that cause. A file without the first line must pass everything. What a real GPU
// judges otherwise, because its times or its memory are not those of the virtual one, stands in the last line, and a
// comment below it says why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checking/criterion.h"
#include "report/result.h"

namespace checking {

/// Where a report leads to.
struct report_target {
  int line = 0;  ///< of the checked file; 0: the report names none
  std::string
      cause;  ///< report::criterion_result::mistake; "" for a run that did not get as far as the criteria
  bool operator==(const report_target&) const = default;
};

/// What the first lines of a right or wrong answer say about it.
struct expectation {
  std::string must_fail;  ///< a criterion, or "verdict:" and a run verdict; "" for a right answer
  std::vector<std::string> may_fail{};      ///< names of criteria that may fail beside it
  std::optional<report_target> leads_to{};  ///< absent when it is not declared
  std::vector<std::string> open_on_gpu{};   ///< names of criteria that a real GPU may pass or fail
  bool operator==(const expectation&) const = default;
};

/// Reads the declarations of a file. Throws std::invalid_argument when a line starts like a declaration but names
/// nothing, or names what is neither a criterion of the rubric nor a verdict.
expectation expectation_of(std::string_view text, const rubric& rubric);

/// Where the report of that failure (a criterion or "verdict:...") leads to.
report_target target_of(const report::result& result, const std::string& failure);

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

/// The first of what a report says to read next ("cudaMalloc in the section "The calls"") that the lesson's page does not have: no
/// such section, or not that word in it. "" when all is there.
std::string read_next_not_in(std::string_view page, const report::result& result);

}  // namespace checking
