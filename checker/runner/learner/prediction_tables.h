// prediction_tables.h: what instructors print of predictions, as Markdown: worksheets before the hour, tables of a class
// after it.
//
//     fmt::print("{}", runner::worksheet(checkout.lessons()));
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/lesson.h"
#include "runner/learner/predictions.h"

namespace runner {

/// The questions of a lesson as a numbered list, as its page has them; "" without questions.
std::string question_list(const std::vector<question>& questions);

/// A page with the list between the lines "<!-- predict -->" and "<!-- end -->". Throws std::runtime_error when the page
/// lacks them.
std::string with_question_list(const std::string& page, const std::vector<question>& questions);

/// A worksheet with the questions of these lessons and room for answers. Throws cannot_do.
std::string worksheet(const std::vector<course::lesson>& lessons);

/// What one learner predicted of a lesson.
struct student_predictions {
  std::string student;
  predictions kept;
};

/// The predictions of that lesson below the folder: in each folder of it, the file .streamlings/predictions/NN_slug.json, or
/// NN_slug.json itself. The student is the name of the folder. Sorted by it. Throws cannot_do.
std::vector<student_predictions> predictions_of_class(const std::filesystem::path& folder,
                                                      const course::lesson& lesson);

/// A table with a row for each student, one for what was measured, and how many were right; "" without students.
std::string class_table(const course::lesson& lesson, const std::vector<question>& questions,
                        const std::vector<student_predictions>& students);

}  // namespace runner
