// learners_program.h: starts the learner's editor and browser, which outlive this program.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// The command line of the editor: $VISUAL, $EDITOR, or VS Code inside its own terminal; "" for none. May
/// have arguments, as git allows.
std::string editor_command();

/// The command line of the browser: $BROWSER, or the opener of the desktop or WSL; "" for none.
std::string browser_command();

/// Runs the command with that file in the foreground of the terminal until it ends; returns its exit
/// status. Throws cannot_do.
int run_in_foreground(const std::string& command, const std::filesystem::path& file);

/// Starts the command with that file, apart from the terminal, and does not wait. Throws cannot_do.
void start_apart(const std::string& command, const std::filesystem::path& file);

}  // namespace runner
