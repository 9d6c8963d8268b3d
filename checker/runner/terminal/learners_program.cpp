#include "runner/terminal/learners_program.h"

#include <cstdlib>
#include <system_error>

#include "processes/cannot_do.h"
#include "processes/outcome.h"
#include "processes/start.h"

namespace runner {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// A shell splits the command line, as it does for git's editor.
pid_t start(const std::string& command, const std::filesystem::path& file, processes::start_options options) {
  options.arguments = {"/bin/sh", "-c", command + " \"$1\"", "sh", file.string()};
  options.life = processes::lifetime::independent;
  const processes::started_program started = processes::start(options);
  if (started.error != 0)
    throw processes::cannot_do("/bin/sh: " + std::generic_category().message(started.error));
  return started.id;
}

}  // namespace

std::string editor_command() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (!variable(name).empty()) return variable(name);
  }
  return variable("TERM_PROGRAM") == "vscode" ? "code -r" : "";
}

std::string browser_command() {
  if (!variable("BROWSER").empty()) return variable("BROWSER");
  if (!variable("WSL_DISTRO_NAME").empty()) return "wslview";
  const bool has_desktop = !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
  return has_desktop ? "xdg-open" : "";
}

int run_in_foreground(const std::string& command, const std::filesystem::path& file) {
  return processes::wait_for(start(command, file, {.arguments = {}, .input = processes::inherited}))
      .exit_status;
}

void start_apart(const std::string& command, const std::filesystem::path& file) {
  start(command, file,
        {.arguments = {},
         .output = processes::null_device,
         .errors = processes::null_device,
         .group = processes::process_group::own_session});
}

}  // namespace runner
