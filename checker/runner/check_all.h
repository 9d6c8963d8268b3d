// check_all.h: all lessons checked in parallel, told line by line.
//
//     exit_status = runner::check_all(course, {}, runner::all_format::lines);
#pragma once

#include "course/checkout.h"
#include "runner/learner/lesson_check.h"

namespace runner {

/// How the outcomes are printed.
enum class all_format { lines, json };

/// Checks every lesson with these options, as many at a time as there are processors (one at a time on a real
/// GPU, where runs would disturb each other), and prints a line for each in the order of the course. JSON is
/// {"version": 1, "results": [the records]}, without lessons that came to no verdict; those are told on
/// standard error. Returns 0 when all have passed, else 1 when one has a verdict against it, else 2. Throws
/// cannot_do when a check is not built.
int check_all(const course::checkout& checkout, const check_options& options, all_format format);

}  // namespace runner
