// verification.h: the result of `streamlings verify`, as plain data.
//
// Not here: how it is printed (verification_text.h).
//
//     const runner::verification found = runner::verify(course, lessons, {});
//     found.problems.empty();
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/verify/answer_sets.h"
#include "runner/verify/course_problem.h"
#include "runner/verify/lesson_rules.h"
#include "runner/verify/margin.h"

namespace runner {

/// The answers that are run.
enum class verify_extent { everything, without_wrong_and_right_answers };
/// Which checks of the answers are looked at.
enum class answer_checks {
  run_now,
  last_run  ///< what the tests have recorded of the files as they are
};
/// How the pictures in pages are treated.
enum class page_pictures { compared, rewritten };

/// Options of a verification.
struct verify_options {
  verify_extent extent = verify_extent::everything;
  answer_checks checks = answer_checks::run_now;
  page_pictures pictures = page_pictures::compared;
  std::size_t jobs = 1;  ///< answers checked at a time
};

/// The verification of one lesson.
struct verified_lesson {
  course::lesson course_lesson;
  lesson_rubric rubric;  ///< empty when the check program could not be asked
  std::vector<answer> answers;
  std::vector<answer_outcome> outcomes;  ///< of the first so many answers, in the same order

  std::size_t count(answer_set set) const;
  /// The number of answers of the set with the declared outcome.
  std::size_t as_declared(answer_set set) const;
  /// The outcome of the only answer of the set; nullptr when it was not run.
  const answer_outcome* outcome_of(answer_set set) const;
  /// Of the solution; nothing when it was not run or states no measurement.
  std::optional<margin> margin_of_solution() const;
};

/// The verification of the course.
struct verification {
  verify_extent extent = verify_extent::everything;
  std::vector<verified_lesson> lessons;
  std::vector<course_problem> problems;  ///< of all lessons and pages
  std::set<std::string> links_outside;   ///< https addresses in pages, which are not followed
  std::vector<std::string> rewritten;    ///< pages, relative to the checkout
};

/// Runs the answers of these lessons, or reads what the tests recorded of them, and checks their files, README.md and docs/*.md. Shows progress on a
/// terminal's standard error. Throws cannot_do when a page cannot be written.
verification verify(const course::checkout& checkout, const std::vector<course::lesson>& lessons,
                    const verify_options& options);

}  // namespace runner
