// platforms.h: the results of a class in the forms that other platforms import. The names for `grade --export` are in grade.cpp.
//
// Text of programs and students is data there: escaped for the form, without control characters. Not here: our own tables
// (tables.h).
//
//     runner::gradescope_json(book, student, rules, results)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/grade/csv.h"
#include "runner/grade/gradebook.h"
#include "runner/grade/results_folder.h"
#include "runner/grade/scoring.h"

namespace runner {

/// What Canvas imports: Student, ID, SIS User ID, SIS Login ID, Section, and a column for each lesson. `roster`: rows of the file that
/// Canvas exports, by the name in the column SIS Login ID; without one the student is the login.
/// @see https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807
std::string canvas_csv(const gradebook& book, const scoring_rules& rules, const csv_table& roster);

/// What Moodle imports, with the student as the user name: a column for each lesson, the score, and a feedback.
/// @see https://docs.moodle.org/en/Grade_import
std::string moodle_csv(const gradebook& book, const scoring_rules& rules);

/// results.json of Gradescope: a test for each criterion, with the four parts of a failure.
/// @see https://gradescope-autograders.readthedocs.io/en/latest/specs/
std::string gradescope_json(const gradebook& book, const student_grades& student, const scoring_rules& rules,
                            const results_folder& results);

/// What classroom-resources/autograding-grading-reporter reads, base64-encoded, as STEP_RESULTS.
/// @see https://github.com/classroom-resources/autograding-grading-reporter
std::string classroom_json(const gradebook& book, const student_grades& student,
                           const results_folder& results);

/// JUnit XML: a suite for each student, a case for each criterion with its points as a property. What counts for nobody is an error, as is
/// what was handed in wrongly; the rest are failures.
std::string junit_xml(const gradebook& book, const results_folder& results);

/// The lines that the file as it comes does not have: what the student wrote, in its regions and beside them. Indentation does not count.
std::string own_lines(std::string_view submitted, std::string_view skeleton);

/// A file name for each student: without what file systems and shells treat specially, and none twice.
std::vector<std::string> file_names_of(const gradebook& book);

}  // namespace runner
