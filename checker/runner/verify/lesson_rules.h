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
#include "runner/verify/course_problem.h"

namespace runner {

/// One of the numbers that a lesson's function gets.
struct swept_parameter {
  std::string name;        ///< "chunks"
  int least = 1;           ///< smallest value that makes sense
  int most = 1;            ///< largest
  std::vector<int> usual;  ///< swept when nothing else is asked for
};

/// What `streamlings sweep` can vary in a lesson.
struct swept_function {
  std::string of;                             ///< "add_in_chunks()"
  std::array<swept_parameter, 2> parameters;  ///< a line for each value of the second, over the first
};

/// What the check program says of its criteria.
struct lesson_rubric {
  std::vector<std::string> criteria;    ///< names, in the order of check.cpp
  int points = 0;                       ///< their sum
  std::optional<swept_function> sweep;  ///< when check.cpp declares one
};

/// Asks the check program. Throws cannot_do when it is not built or answers something else.
lesson_rubric rubric_of(const course::checkout& checkout, const course::lesson& lesson);

/// Missing files, contract, TODO regions (through the check program), points, hints, number and declarations of the
/// answers, sections and links of the README. Throws cannot_do when the check program is not built.
std::vector<course_problem> problems_of_lesson(const course::checkout& checkout, const course::lesson& lesson,
                                               const lesson_rubric& rubric);

/// Links of a page that lead nowhere in the checkout, or outside without https. Addresses outside are added
/// to `outside`; nobody follows them. Nothing is said of a page that does not exist.
std::vector<course_problem> problems_of_links(const course::checkout& checkout,
                                              const std::filesystem::path& page,
                                              std::set<std::string>& outside);

}  // namespace runner
