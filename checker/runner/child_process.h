// child_process.h: runs our own programs to their end, one or several at once, and leaves nothing of them
// behind.
//
// For check programs and the compiler. Programs of learners run under exercise::launch.
//
//     auto done = runner::run_child({"build/bin/check03", "run", ...}, root, nullptr);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/child_group.h"

namespace runner {

/// Called about ten times a second while the child runs.
using progress_function = std::function<void(pid_t child, std::chrono::milliseconds elapsed)>;

/// Starts command[0] in that folder, without a shell and without input, and returns when it and everything it
/// started is gone. On SIGINT, SIGTERM and SIGHUP ends all of it and throws interrupted. Throws cannot_do
/// when it cannot be started. `progress` may be empty.
child_outcome run_child(const std::vector<std::string>& command, const std::filesystem::path& folder,
                        const progress_function& progress);

/// Called when commands[index] is over.
using ended_function = std::function<void(std::size_t index, child_outcome outcome)>;

/// The same for several commands: starts them in their order, at most `at_once` (1 or more) at a time, and
/// tells of each as it ends.
void run_children(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
                  std::size_t at_once, const ended_function& ended);

}  // namespace runner
