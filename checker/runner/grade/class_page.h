// class_page.h: one page about a class: how the scores are distributed, which criteria are hardest, which mistakes are commonest.
//
// It is one file and makes no request. Not here: the page of a student (student_page.h).
//
//     processes::write_whole("class.html", runner::class_page(book, rules, {}));
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/grade/gradebook.h"
#include "runner/grade/scoring.h"

namespace runner {

/// A criterion, and how many failed it.
struct failed_criterion {
  std::size_t lesson = 0;  ///< index in the gradebook
  std::string name;
  std::string title;
  std::size_t failed = 0;
  std::size_t judged = 0;
};

/// The same mistake of several students.
struct common_mistake {
  std::size_t lesson = 0;  ///< index in the gradebook
  std::string criterion;
  std::string mistake;  ///< a word; "" when not known
  std::size_t students = 0;
  std::string where;   ///< of the line that most of them have
  std::string quoted;  ///< that line
};

/// All that somebody failed, the hardest first: by the share of those who failed.
std::vector<failed_criterion> hardest_criteria(const gradebook& book);
/// The commonest first.
std::vector<common_mistake> commonest_mistakes(const gradebook& book);

/// `links`: where the page of each student is, or nothing.
std::string class_page(const gradebook& book, const scoring_rules& rules,
                       const std::vector<std::string>& links);

}  // namespace runner
