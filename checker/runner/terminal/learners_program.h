// learners_program.h: programs that belong to the learner (an editor, a browser), started by us and not ended
// by us.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// The command line that opens files: $VISUAL, $EDITOR, or VS Code inside its own terminal; "" when there is
/// none. May have arguments, as git allows.
std::string editor_command();

/// The command line that opens pages: $BROWSER, or what the desktop or WSL offers; "" when there is none.
std::string browser_command();

/// Runs the command with that file in the foreground of the terminal until it ends; returns its exit
/// status. Throws cannot_do.
int run_in_foreground(const std::string& command, const std::filesystem::path& file);

/// Starts the command with that file, apart from the terminal, and does not wait. Throws cannot_do.
void start_apart(const std::string& command, const std::filesystem::path& file);

}  // namespace runner
