// verbs.h: the verbs of the program; each is defined in the file of its name.
//
// add_... registers the verb with its options; when it is used, it stores the exit status of the program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace runner {

/// `list`: lists the lessons, what is done, and which is the current one.
void add_list(CLI::App& program, int& exit_status);
/// `check`: builds, runs and judges a lesson, or all.
void add_check(CLI::App& program, int& exit_status);
/// `hint`: prints the next hint for a lesson, chosen by what failed last.
void add_hint(CLI::App& program, int& exit_status);
/// `reset`: puts back the file of a lesson as it was, and keeps the learner's.
void add_reset(CLI::App& program, int& exit_status);
/// `next`: makes the lesson after the current one the current one.
void add_next(CLI::App& program, int& exit_status);
/// `prev`: makes the lesson before the current one the current one.
void add_prev(CLI::App& program, int& exit_status);
/// `timeline`: draws the last run of a lesson.
void add_timeline(CLI::App& program, int& exit_status);
/// `compare`: draws the learner's run above that of the solution.
void add_compare(CLI::App& program, int& exit_status);
/// `sweep`: times the function of a lesson with many settings.
void add_sweep(CLI::App& program, int& exit_status);
/// `explain`: says why the last run took as long as it did.
void add_explain(CLI::App& program, int& exit_status);
/// `run`: runs any CUDA program on the virtual GPU. `program_arguments` is what stood behind "--" on the
/// command line.
void add_run(CLI::App& program, const std::vector<std::string>& program_arguments, int& exit_status);
/// `profiles`: lists the GPUs that the virtual GPU can be.
void add_profiles(CLI::App& program, int& exit_status);
/// `doctor`: says what this machine has for the lessons.
void add_doctor(CLI::App& program, int& exit_status);
/// `calibrate`: measures this machine's GPU into a profile.
void add_calibrate(CLI::App& program, int& exit_status);
/// `update`: brings the course up to date.
void add_update(CLI::App& program, int& exit_status);
/// `report-problem`: packs what a bug report needs.
void add_report_problem(CLI::App& program, int& exit_status);
/// `completion`: prints what completes the command line in a shell.
void add_completion(CLI::App& program, int& exit_status);
/// `verify`: checks the lessons themselves, for their authors.
void add_verify(CLI::App& program, int& exit_status);

/// What starts a check in the watch screen.
enum class check_start { at_each_save, by_key };

/// The watch screen, on the terminal that standard input and output are, until the learner leaves it. Returns
/// the exit status; throws interrupted when a signal ends it.
int watch(check_start when);

/// What the program says without a verb: where the learner is, and the next step. Returns the exit status.
int show_status();

}  // namespace runner
