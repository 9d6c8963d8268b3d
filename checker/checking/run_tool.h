// run_tool.h: runs one of our own programs to its end and keeps what it prints.
//
// For the compiler only. Programs with learner code run under exercise::launch, which trusts nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace checking {

/// How a tool ended, and what it printed.
struct tool_outcome {
  int exit_status = 0;  ///< 128 + signal when it was ended by one
  std::string output;   ///< both streams, in the order of printing
};

/// Starts the program without a shell and waits for it; it does not outlive this process. Throws
/// std::system_error when it cannot be started.
tool_outcome run_tool(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace checking
