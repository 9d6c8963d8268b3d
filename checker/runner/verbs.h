// verbs.h: the verbs of the program; each is defined in the file of its name.
//
// add_... registers the verb with its options; when it is used, it stores the exit status of the program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace runner {

void add_list(CLI::App& program, int& exit_status);
void add_check(CLI::App& program, int& exit_status);
void add_hint(CLI::App& program, int& exit_status);
void add_reset(CLI::App& program, int& exit_status);
void add_next(CLI::App& program, int& exit_status);
void add_prev(CLI::App& program, int& exit_status);
void add_timeline(CLI::App& program, int& exit_status);
void add_compare(CLI::App& program, int& exit_status);
void add_sweep(CLI::App& program, int& exit_status);
void add_explain(CLI::App& program, int& exit_status);
/// `program_arguments` is what stood behind "--" on the command line.
void add_run(CLI::App& program, const std::vector<std::string>& program_arguments, int& exit_status);
void add_profiles(CLI::App& program, int& exit_status);
void add_doctor(CLI::App& program, int& exit_status);
void add_calibrate(CLI::App& program, int& exit_status);
void add_update(CLI::App& program, int& exit_status);
void add_report_problem(CLI::App& program, int& exit_status);
void add_completion(CLI::App& program, int& exit_status);
void add_verify(CLI::App& program, int& exit_status);

enum class check_start { at_each_save, by_key };

/// The watch screen, on the terminal that standard input and output are, until the learner leaves it. Returns
/// the exit status; throws interrupted when a signal ends it.
int watch(check_start when);

/// What the program says without a verb: where the learner is, and the next step. Returns the exit status.
int show_status();

}  // namespace runner
