// lesson_rules.h: what the files of a lesson must hold, as far as it can be read off them without a run.
//
// Not here: the pictures (pictures.h), and what the files do (answer_sets.h).
//
//     std::vector<runner::course_problem> problems = runner::problems_of_lesson(course, lesson, rubric);
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "course/sweep_parameter.h"
#include "runner/verify/course_problem.h"

namespace runner {

/// What `streamlings sweep` can vary in a lesson.
struct sweep_options {
  /// "add_in_chunks()"
  std::string function;
  /// A line for each value of the second, over the first.
  std::array<course::sweep_parameter, 2> parameters;
};

/// What the check program says of its criteria.
struct lesson_rubric {
  std::vector<std::string> criteria;  ///< names, in the order of check.cpp
  int points = 0;                     ///< their sum
  std::optional<sweep_options> sweep;
};

/// Asks the check program. Throws cannot_do when it is not built or answers something else.
lesson_rubric rubric_of(const course::checkout& checkout, const course::lesson& lesson);

/// Missing files, contract, TODO regions (through the check program), points, hints, number and declarations of the
/// answers, sentences of the contract that nothing judges, sections and links of the README. Throws cannot_do when the check program is not built.
std::vector<course_problem> problems_of_lesson(const course::checkout& checkout, const course::lesson& lesson,
                                               const lesson_rubric& rubric);

/// Links of a page that lead nowhere in the checkout, or outside without https. Addresses outside are added
/// to `outside`; nobody follows them. Nothing is said of a page that does not exist.
std::vector<course_problem> problems_of_links(const course::checkout& checkout,
                                              const std::filesystem::path& page,
                                              std::set<std::string>& outside);

}  // namespace runner
