#include "runner/learners_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "runner/errors.h"

extern char** environ;

namespace runner {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

enum class place { foreground, apart };

/// A shell splits the command line, as it does for git's editor.
pid_t start(const std::string& command, const std::filesystem::path& file, const sigset_t& mask,
            place where) {
  const std::string script = command + " \"$1\"";
  const std::string name = file.string();
  const std::array<const char*, 6> arguments{"/bin/sh", "-c", script.c_str(), "sh", name.c_str(), nullptr};
  std::string mark = std::string(learners_program_variable) + "=1";
  std::vector<char*> environment{mark.data()};
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  short flags = POSIX_SPAWN_SETSIGMASK;
  if (where == place::apart) {
    flags |= POSIX_SPAWN_SETSID;
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_setflags(&attributes, flags);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, &attributes,
                                  const_cast<char* const*>(arguments.data()), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw cannot_do("/bin/sh: " + std::generic_category().message(failure));
  return child;
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

int run_in_foreground(const std::string& command, const std::filesystem::path& file, const sigset_t& mask) {
  const pid_t child = start(command, file, mask, place::foreground);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void start_apart(const std::string& command, const std::filesystem::path& file, const sigset_t& mask) {
  start(command, file, mask, place::apart);
}

}  // namespace runner
