// hints.h: the hints of a lesson, read from hints.md, and which of them comes next after a check.
//
// A hint is a section "## Heading" of that file, weakest first. A line "for: ..." right below the heading
// names what it helps with: criteria, verdicts, or a criterion that failed in one way only.
//
//     for: CopiesOverlapKernels, EveryElementIsRight as cuda_error, WorkIsOrdered as buffer_reused, timeout
//
//     const report::chosen_hint next = report::next_hint(report::parse_hints(text), levels_seen, failures);
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace report {

/// A failure of a check: a criterion and the run verdict it leads to. Without a criterion, a run that ended
/// before the criteria were judged.
struct failure {
  std::string criterion;  ///< "": the run as a whole
  run_verdict verdict = run_verdict::requirement_missed;
  std::string mistake;  ///< as criterion_result
};

/// The failures of a check, in the order of the criteria; none when it passed.
std::vector<failure> failures_in(const result& check);

/// What a hint helps with.
struct hint_topic {
  std::string name;  ///< a criterion, or the word of a verdict
  std::string way;   ///< the run verdict of the failure, or the mistake; "": any
  bool operator==(const hint_topic&) const = default;
};

/// One section of hints.md.
struct hint {
  int level = 0;                       ///< position in the file, from 1
  std::string heading;                 ///< without marks
  std::vector<hint_topic> helps_with;  ///< empty: everything
  std::string text;                    ///< Markdown, no empty line at either end
};

/// All hints, weakest first. Text above the first heading is skipped.
std::vector<hint> parse_hints(std::string_view markdown);

/// True when the hint's line "for:" covers this failure.
bool is_for(const hint& hint, const failure& failure);

/// A hint, and the failure for which it was chosen.
struct chosen_hint {
  int level = 0;      ///< 0: no hint is left
  std::string about;  ///< the criterion, or the verdict in words; "": not chosen for a failure
  int number = 0;     ///< its place among the hints for what failed, from 1
  int count = 0;      ///< number of these
};

/// The weakest unseen hint for a failure, else the weakest unseen that is not for criteria which passed alone. Hints that name
/// the mistake come first. Failures are taken in the order: CUDA errors, races, wrong data, others, because the earlier kind
/// often causes the later.
chosen_hint next_hint(const std::vector<hint>& hints, const std::set<int>& levels_seen,
                      const std::vector<failure>& failures);

/// The hint that comes first, when that is not for the criterion, which is one of those that failed.
std::optional<hint> unfitting_first_hint(const std::vector<hint>& hints, const std::vector<failure>& failures,
                                         const std::string& criterion);

/// The hint with that level, whatever failed: its number is the level.
chosen_hint hint_at(const std::vector<hint>& hints, int level);

/// "Hint 1 of 3, for WorkIsOrdered: Who waits?"; "Hint 3 of 3: The whole shape" when it was chosen for no failure.
std::string title_of(const std::vector<hint>& hints, const chosen_hint& choice);

}  // namespace report
