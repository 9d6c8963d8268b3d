// hints.h: the hints of a lesson, read from hints.md, and which of them comes next.
//
// A hint is a section "## Heading" of that file, weakest first. A line "for: ..." right below the heading
// names what it helps with: criteria, verdicts, or a criterion that failed in one way only.
//
//     for: CopiesOverlapKernels, EveryElementIsRight as cuda_error, WorkIsOrdered as buffer_reused, timeout
//
//     const runner::chosen_hint next = runner::next_hint(runner::parse_hints(text), levels_seen, failures);
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace runner {

/// What went wrong in a check: a criterion, and what its failure makes of the run. When the run did not get
/// as far as the criteria, the verdict alone.
struct failure {
  std::string criterion;                                                  ///< "" for a run without criteria
  report::run_verdict verdict = report::run_verdict::requirement_missed;  ///< what it makes of the run
  std::string mistake;                                                    ///< as report::criterion_result
};

/// The failures of a check, in the order of the criteria; none when it passed.
std::vector<failure> failures_of(const report::result& check);

/// What a hint can be for.
struct hint_topic {
  std::string name;  ///< a criterion, or the word of a verdict
  std::string way;   ///< the verdict that its failure has to make, or the mistake that it has to be; "": any
  bool operator==(const hint_topic&) const = default;
};

/// One section of hints.md.
struct hint {
  int level = 0;                       ///< its place in the file, from 1
  std::string heading;                 ///< without marks
  std::vector<hint_topic> helps_with;  ///< empty: with everything
  std::string text;                    ///< Markdown, no empty line at either end
};

/// All hints, weakest first; text above the first heading is none.
std::vector<hint> parse_hints(std::string_view markdown);

/// Whether the hint says in its line "for:" that it helps with this failure.
bool is_for(const hint& hint, const failure& failure);

/// A hint, and the failure for which it was chosen.
struct chosen_hint {
  int level = 0;      ///< 0: every hint was seen
  std::string about;  ///< the criterion, or the verdict in words; "" when it was chosen for no failure
  int place = 0;      ///< with a failure: its place among the hints that come for it, from 1
  int count = 0;      ///< with a failure: how many there are
};

/// The weakest hint not seen yet that is for a failure, else the weakest not seen yet. One that names the
/// mistake comes before those that do not. A call that failed comes before accesses without order, these
/// before wrong data, and both before everything else: what comes first often brings the rest about.
chosen_hint next_hint(const std::vector<hint>& hints, const std::set<int>& levels_seen,
                      const std::vector<failure>& failures);

/// "Hint 1 of 2 for WorkIsOrdered: Who waits?"; "Hint 3 of 7: Who waits?" when it was chosen for no failure.
std::string title_of(const std::vector<hint>& hints, const chosen_hint& choice);

}  // namespace runner
