// check_all.h: checks all lessons in parallel.
//
//     exit_status = runner::check_all(course, {}, runner::all_format::lines);
#pragma once

#include "course/checkout.h"
#include "runner/learner/lesson_check.h"

namespace runner {

/// How the outcomes are printed.
enum class all_format { lines, json };

/// Checks every lesson, one per processor at a time (on a real GPU one at a time, since runs disturb each
/// other), and prints a line for each in course order. JSON is {"version": 1, "results": [records]}; lessons
/// without a verdict are reported on standard error. Returns 0 when all pass, else 1 when one fails, else 2.
/// Throws cannot_do when a check is not built.
int check_all(const course::checkout& checkout, const check_options& options, all_format format);

}  // namespace runner
