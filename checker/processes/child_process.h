// child_process.h: runs our own programs to their end, one or several at once, and leaves nothing of them
// behind.
//
// For check programs and the compiler. Programs of learners run under exercise::launch.
//
//     auto done = processes::run_child({"build/bin/streamlings-check", "03_async_copy", "run", ...}, root);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/outcome.h"

namespace processes {

/// Ctrl-C and its like, after everything that was started is gone: the program ends by that signal.
struct interrupted {
  int signal = 0;
};

/// A child that runs: its id, for how long it has run, and what it has printed.
struct child_progress {
  pid_t process = 0;
  std::chrono::milliseconds elapsed{0};
  std::string_view output;
};

/// Called about ten times a second while the child runs.
using progress_function = std::function<void(const child_progress& progress)>;

/// Starts command[0] in that folder, without a shell and without input, and returns when it and everything it
/// started is gone. On SIGINT, SIGTERM and SIGHUP ends all of it and throws interrupted. Throws cannot_do
/// when it cannot be started. A limit of 0 is none.
outcome run_child(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const progress_function& progress = nullptr, std::chrono::milliseconds limit = {});

/// Called when commands[index] is over.
using ended_function = std::function<void(std::size_t index, outcome result)>;

/// Does the same for several commands: starts them in their order, at most `max_at_once` (1 or more) at a time.
void run_children(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
                  std::size_t max_at_once, const ended_function& ended, std::chrono::milliseconds limit = {});

}  // namespace processes
