// command_line.h: the command line of the program.
//
//     int main(int argument_count, char** arguments) {
//       return runner::run_program(argument_count, arguments, runner::add_lesson_verbs, "streamlings-all");
//     }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parsing/command_line.h"
#include "parsing/nvcc_options.h"

namespace runner {

/// Words of the command line that verbs read by themselves.
struct verb_words {
  std::vector<parsing::nvcc_option> compiler_options;  ///< those of nvcc, for `run`
  std::vector<std::string> behind_dashes;  ///< for the program of `run`, or for the sbatch of `grade`
};

/// Registers verbs. The words live as long as the program.
using verb_registration = std::function<void(parsing::command& program, const verb_words& words)>;

/// Runs the program with these verbs, and prints what it throws. Other verbs and the help of the whole are those of
/// `program_of_others`, a program in the same folder; "": there are none. Returns the exit status.
int run_program(int argument_count, char** arguments, const verb_registration& add_verbs,
                const std::string& program_of_others);

/// The verbs that lessons are done with, and `run`.
void add_lesson_verbs(parsing::command& program, const verb_words& words);

/// All others: for the whole course, a class and the installation.
void add_course_verbs(parsing::command& program, const verb_words& words);

}  // namespace runner
