// verification.h: everything that `streamlings verify` finds out about the course, as plain data.
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

/// Which answers are run.
enum class verify_extent { everything, without_wrong_and_right_answers };
/// What is done with the pictures in pages.
enum class page_pictures { compared, rewritten };

/// How the course is looked at.
struct verify_options {
  verify_extent extent = verify_extent::everything;  ///< which answers
  page_pictures pictures = page_pictures::compared;  ///< a rewritten one is no problem
  /// Answers checked at once.
  std::size_t jobs = 1;
};

/// What was found out about one lesson.
struct verified_lesson {
  course::lesson course_lesson;          ///< of the course
  lesson_rubric rubric;                  ///< empty when the check program could not be asked
  std::vector<answer> answers;           ///< those there are
  std::vector<answer_outcome> outcomes;  ///< of the first so many answers, in the same order

  /// How many answers of the set there are.
  std::size_t count(answer_set set) const;
  /// How many of them came out as declared.
  std::size_t as_declared(answer_set set) const;
  /// The outcome of the only member of the set, nullptr when it was not run.
  const answer_outcome* outcome_of(answer_set set) const;
  /// Of the solution; nothing when it was not run or states no measurement.
  std::optional<margin> margin_of_solution() const;
};

/// What was found out about the course.
struct verification {
  verify_extent extent = verify_extent::everything;  ///< as asked for
  std::vector<verified_lesson> lessons;              ///< in the order asked for
  std::vector<course_problem> problems;              ///< of all lessons and pages
  std::set<std::string> links_outside;               ///< https addresses in the pages, which nobody follows
  std::vector<std::string> rewritten;                ///< pages, relative to the checkout
};

/// Runs the answers of these lessons and looks at their files, at README.md and at docs/*.md. Shows on a
/// terminal's standard error how far it is. Throws cannot_do when a page cannot be written.
verification verify(const course::checkout& checkout, const std::vector<course::lesson>& lessons,
                    const verify_options& options);

}  // namespace runner
