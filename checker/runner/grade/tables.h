// tables.h: the gradebook as tables: ours, and those that learning platforms import.
//
// Ours holds no time, date or path of a machine, so the same submissions, rules and secret give the same bytes.
//
//     processes::write_whole("gradebook.csv", runner::gradebook_csv(book, rules));
#pragma once

#include <string>

#include "runner/grade/csv.h"
#include "runner/grade/gradebook.h"
#include "runner/grade/scoring.h"

namespace runner {

/// A header, and a line for each student: score in per cent, points, points that can be had, with a deadline the days of lateness, for
/// each lesson points and verdict, notes.
std::string gradebook_csv(const gradebook& book, const scoring_rules& rules);

/// A JSON object in a line for each student and lesson, with the criteria (docs/reference/formats.md).
std::string grades_json_lines(const gradebook& book);

/// What Canvas imports: Student, ID, SIS User ID, SIS Login ID, Section, and a column for each lesson. `roster`: rows of the file that
/// Canvas exports, by the name in the column SIS Login ID; without one the student is the login.
/// @see https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807
std::string canvas_csv(const gradebook& book, const scoring_rules& rules, const csv_table& roster);

/// What Moodle imports, with the student as the user name: a column for each lesson, the score, and a feedback.
/// @see https://docs.moodle.org/en/Grade_import
std::string moodle_csv(const gradebook& book, const scoring_rules& rules);

}  // namespace runner
