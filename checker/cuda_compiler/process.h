// process.h: starting other programs (the compiler, nm) and never leaving one behind.
//
//     return run_guarded([](const std::filesystem::path& temporary) {
//       return run_program({"g++", "--version"}, temporary / "out", temporary / "err").exit_status;
//     });
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace cuda_compiler {

/// How a program that was started ended.
struct program_end {
  int start_error = 0;   ///< errno when the program could not be started
  int signal = 0;        ///< when a signal ended it
  int exit_status = -1;  ///< when it exited

  /// Whether it ran and exited with 0.
  bool succeeded() const { return start_error == 0 && signal == 0 && exit_status == 0; }
};

/// Runs a program found through PATH, without a shell and without input, and waits for its end. What it
/// prints goes to the two files. May be called from several threads.
program_end run_program(const std::vector<std::string>& arguments, const std::filesystem::path& output,
                        const std::filesystem::path& errors);

/// Runs `work` in a process group of its own with a temporary directory, and returns what it returns. The
/// directory is removed afterwards. When the calling process is killed, the group ends and the directory goes
/// too. Throws std::system_error when there is no process or no directory to be had.
int run_guarded(const std::function<int(const std::filesystem::path& temporary)>& work);

}  // namespace cuda_compiler
