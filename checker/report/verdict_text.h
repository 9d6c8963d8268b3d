// verdict_text.h: a result record laid out as a learner reads it.
//
// Not here: its sentences. A criterion's are in the matcher, those about runs that cannot be judged in checking/run_failure.cpp,
// the words for verdicts in result.cpp.
#pragma once

#include <string>

#include "report/result.h"

namespace report {

/// Escape sequences for colours.
enum class colour { on, off };

/// How the report looks.
struct verdict_text_options {
  int width = 100;  ///< columns
  report::colour colour = report::colour::off;
  bool with_timeline = true;
  bool with_next_steps = true;  ///< the commands to type next
};

/// The whole report of a check: verdict first, then each criterion, the reasons of the failures in four
/// parts, the learner's own output, the timeline, and the next step.
std::string verdict_text(const result& result, const verdict_text_options& options);

/// The command that repeats the check, to type in the folder of the course: "./streamlings check 03 --profile h200
/// --seed 7". It names each setting that is not the default: environment variables, compiler, backend.
std::string repeat_command(const result& result);

/// The message of one criterion alone, as ctest shows it.
std::string criterion_text(const result& result, const std::string& criterion,
                           const verdict_text_options& options);

}  // namespace report
