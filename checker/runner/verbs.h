// verbs.h: the verbs of the program; each is defined in the file of its name.
//
// add_... registers the verb with its options and its action.
#pragma once

#include <string>
#include <vector>

#include "parsing/command_line.h"
#include "parsing/nvcc_options.h"

namespace runner {

/// `list`: lists the lessons, what is done, and which is the current one.
void add_list(parsing::command& program);
/// `check`: builds, runs and judges a lesson, or all.
void add_check(parsing::command& program);
/// `predict`: asks the questions of a lesson, and shows the answers beside what was measured.
void add_predict(parsing::command& program);
/// `hint`: prints the next hint for a lesson, chosen by what failed last.
void add_hint(parsing::command& program);
/// `reset`: puts back the file of a lesson as it was, and keeps the learner's.
void add_reset(parsing::command& program);
/// `next`: makes the lesson after the current one the current one.
void add_next(parsing::command& program);
/// `prev`: makes the lesson before the current one the current one.
void add_prev(parsing::command& program);
/// `timeline`: draws the last run of a lesson.
void add_timeline(parsing::command& program);
/// `compare`: draws the learner's run above that of the solution.
void add_compare(parsing::command& program);
/// `serve`: shows the lesson in a browser; a refusal where cpp-httplib was missing at configure time.
void add_serve(parsing::command& program);
/// `sweep`: times the function of a lesson with many settings.
void add_sweep(parsing::command& program);
/// `explain`: says why the last run took as long as it did.
void add_explain(parsing::command& program);
/// `run`: runs any CUDA program on the virtual GPU. `compiler_options` are nvcc's options on the command line,
/// `program_arguments` the words after "--".
void add_run(parsing::command& program, const std::vector<parsing::nvcc_option>& compiler_options,
             const std::vector<std::string>& program_arguments);
/// `profiles`: lists the GPUs that the virtual GPU can be.
void add_profiles(parsing::command& program);
/// `doctor`: reports whether this machine has what the lessons need.
void add_doctor(parsing::command& program);
/// `calibrate`: measures this machine's GPU into a profile.
void add_calibrate(parsing::command& program);
/// `update`: brings the course up to date.
void add_update(parsing::command& program);
/// `report-problem`: packs what a bug report needs.
void add_report_problem(parsing::command& program);
/// `grade`: checks the submissions of a class. `sbatch_options` are the words after "--" on the command line.
void add_grade(parsing::command& program, const std::vector<std::string>& sbatch_options);
/// `export`: writes the course without its answers.
void add_export(parsing::command& program);
/// `completion`: prints a completion script for a shell.
void add_completion(parsing::command& program);
/// `verify`: checks the lessons themselves, for their authors.
void add_verify(parsing::command& program);

/// What starts a check in the watch screen.
enum class check_start { at_each_save, by_key };

/// The watch screen, on the terminal of standard input and output, until the learner closes it. Returns the
/// exit status; throws interrupted when a signal ends it.
int watch(check_start when);

/// The output without a verb: the current lesson and the next step. Returns the exit status.
int show_status();

}  // namespace runner
