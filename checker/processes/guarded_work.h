// guarded_work.h: work in a process of its own, of which nothing is left when it is killed.
//
//     return processes::run_guarded([](const std::filesystem::path& temporary) {
//       return processes::run({.arguments = {"g++", ...}, .directory = temporary}).exit_status;
//     });
#pragma once

#include <filesystem>
#include <functional>

namespace processes {

/// Runs `work` in a process group of its own with a temporary directory, and returns what it returns; 2 and a line
/// on standard error when it throws. The directory is removed afterwards. When the calling process is killed, the
/// group ends and the directory goes too. Throws std::system_error when no process can be made.
int run_guarded(const std::function<int(const std::filesystem::path& temporary)>& work);

}  // namespace processes
