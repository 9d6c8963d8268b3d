// scoring.h: from points to a score: weights of lessons, what lateness costs, and the most that a file with a race is worth.
//
//     const runner::scoring_rules rules = runner::rules_in("policy.json", checkout);
//     runner::score_of(book, book.students[0], rules).hundredths;   // 8750: 87.5 per cent
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "course/checkout.h"
#include "runner/grade/gradebook.h"

namespace runner {

/// How a class is scored; as it is, every lesson counts the same and nothing is deducted.
struct scoring_rules {
  std::map<int, int> weights;        ///< of lessons by number; 1 where there is none
  std::optional<int> race_cap;       ///< points at most for a lesson in which accesses are not ordered
  int late_percent_a_day = 0;        ///< taken off for each day that has begun
  std::optional<int> max_late_days;  ///< after that many nothing counts
  int grace_minutes = 0;
  std::optional<std::int64_t> deadline;  ///< seconds since 1970
};

/// Reads the rules but for the deadline (docs/guides/instructors.md has an example). Throws cannot_do with what is wrong.
scoring_rules rules_in(const std::filesystem::path& file, const course::checkout& checkout);
/// The same from a text.
scoring_rules rules_of(std::string_view json, const course::checkout& checkout);

/// Seconds since 1970 of "2026-11-20", which is its last second, "2026-11-20 18:00" or "2026-11-20T18:00:00+01:00"; UTC where no zone is
/// given. Nothing when it is of another form.
std::optional<std::int64_t> time_of(std::string_view text);

/// What a student gets.
struct score {
  /// Hundredths of a per cent; absent when nothing could be decided.
  std::optional<int> hundredths;
  int late_days = 0;
  /// There is a deadline, and when this was handed in is not known.
  bool is_date_missing = false;
};

/// The score of a student under these rules, rounded to a hundredth.
score score_of(const gradebook& book, const student_grades& student, const scoring_rules& rules);

/// Points of one lesson after the cap.
int counted_points(const grade& grade, const scoring_rules& rules);

/// "87.5": without zeros at the end.
std::string score_words(int hundredths);
/// The whole score; "" while it is not known.
std::string score_words(const score& score);

}  // namespace runner
