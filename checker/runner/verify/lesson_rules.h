// lesson_rules.h: rules for the files of a lesson that can be checked without a run.
//
// Not here: pictures (pictures.h) and the outcomes of runs (answer_sets.h).
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

/// The parameters that `streamlings sweep` varies in a lesson.
struct sweep_options {
  /// "add_in_chunks()"
  std::string function;
  /// The picture has a line for each value of the second parameter, over the first.
  std::array<course::sweep_parameter, 2> parameters;
};

/// The criteria of a lesson, as the check program lists them.
struct lesson_rubric {
  std::vector<std::string> criteria;  ///< names, in the order of check.cpp
  int points = 0;                     ///< of all criteria
  std::optional<sweep_options> sweep;
};

/// Asks the check program. Throws cannot_do when it is missing or its answer cannot be read.
lesson_rubric rubric_of(const course::checkout& checkout, const course::lesson& lesson);

/// Missing files, contract, TODO regions (through the check program), points, hints, number and declarations of the
/// answers, sentences of the contract that nothing judges, sections and links of the README. Throws cannot_do when the check program is not built.
std::vector<course_problem> problems_of_lesson(const course::checkout& checkout, const course::lesson& lesson,
                                               const lesson_rubric& rubric);

/// Broken links of a page to files of the checkout, and external links without https. External addresses are
/// added to `outside` and not followed. A missing page has no problems.
std::vector<course_problem> problems_of_links(const course::checkout& checkout,
                                              const std::filesystem::path& page,
                                              std::set<std::string>& outside);

}  // namespace runner
