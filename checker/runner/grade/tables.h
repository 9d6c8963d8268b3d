// tables.h: the gradebook as tables of our own.
//
// They hold no time, date or path of a machine, so the same submissions, rules and secret give the same bytes. Not here: what
// learning platforms import (platforms.h).
//
//     processes::write_whole("gradebook.csv", runner::gradebook_csv(book, rules));
#pragma once

#include <string>

#include "runner/grade/gradebook.h"
#include "runner/grade/scoring.h"

namespace runner {

/// A header, and a line for each student: score in per cent, points, points that can be had, with a deadline the days of lateness, for
/// each lesson points and verdict, notes.
std::string gradebook_csv(const gradebook& book, const scoring_rules& rules);

/// A JSON object in a line for each student and lesson, with the criteria (docs/reference/formats.md).
std::string grades_json_lines(const gradebook& book);

}  // namespace runner
