#include "runner/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>

#include "runner/errors.h"

extern char** environ;

namespace runner {
namespace {

using clock = std::chrono::steady_clock;

/// While it lives, the signals that end a program arrive at a descriptor instead.
class caught_signals {
 public:
  caught_signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
    sigprocmask(SIG_BLOCK, &wanted, &before_);
    descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~caught_signals() {
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  caught_signals(const caught_signals&) = delete;
  caught_signals& operator=(const caught_signals&) = delete;

  int descriptor() const { return descriptor_; }
  const sigset_t& mask_before() const { return before_; }
  /// The signal that has arrived, or 0.
  int take() const {
    signalfd_siginfo arrived{};
    return read(descriptor_, &arrived, sizeof arrived) == sizeof arrived ? static_cast<int>(arrived.ssi_signo)
                                                                         : 0;
  }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

pid_t start(const std::vector<std::string>& command, const std::filesystem::path& folder, int output,
            const sigset_t& mask) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that one signal reaches all of it, and the terminal's Ctrl-C only us.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw cannot_do(command.front() + " could not be started: " + std::generic_category().message(failure));
  }
  return child;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream in("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

/// Kills what the child has left behind: orphans become ours, because we are their "subreaper".
void end_what_is_left(pid_t child) {
  kill(-child, SIGKILL);
  for (std::vector<pid_t> left = children_of(getpid()); !left.empty(); left = children_of(getpid())) {
    for (const pid_t each : left) kill(each, SIGKILL);
    for (const pid_t each : left) waitpid(each, nullptr, 0);
  }
}

int status_from(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// Takes what there is to read; false at the end.
bool read_some(int descriptor, std::string& into) {
  std::array<char, 4096> space;
  const ssize_t length = read(descriptor, space.data(), space.size());
  if (length < 0) return errno == EINTR || errno == EAGAIN;
  into.append(space.data(), static_cast<std::size_t>(length));
  return length > 0;
}

}  // namespace

child_outcome run_child(const std::vector<std::string>& command, const std::filesystem::path& folder,
                        const progress_function& progress) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const caught_signals signals;
  std::array<int, 2> pipe_ends;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const auto [ours, theirs] = pipe_ends;
  fcntl(ours, F_SETFL, O_NONBLOCK);
  pid_t child = 0;
  try {
    child = start(command, folder, theirs, signals.mask_before());
  } catch (...) {
    close(ours);
    close(theirs);
    throw;
  }
  close(theirs);

  const clock::time_point began = clock::now();
  child_outcome outcome;
  int wait_status = 0;
  int signal = 0;
  bool is_open = true;
  // The child's end is noticed at the next tick at the latest, even when something it left behind holds the
  // pipe.
  while (signal == 0 && waitpid(child, &wait_status, WNOHANG) == 0) {
    std::array<pollfd, 2> watched{{{signals.descriptor(), POLLIN, 0}, {is_open ? ours : -1, POLLIN, 0}}};
    poll(watched.data(), watched.size(), is_open ? 100 : 5);
    signal = signals.take();
    if (watched[1].revents != 0) is_open = read_some(ours, outcome.output);
    if (progress)
      progress(child, std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - began));
  }
  end_what_is_left(child);
  for (std::size_t before = outcome.output.size() + 1; is_open && before != outcome.output.size();) {
    before = outcome.output.size();
    is_open = read_some(ours, outcome.output);
  }
  close(ours);
  if (signal != 0) throw interrupted{signal};
  outcome.exit_status = status_from(wait_status);
  return outcome;
}

std::vector<std::string> children_names(pid_t process) {
  std::vector<std::string> names;
  for (const pid_t child : children_of(process)) {
    std::ifstream in("/proc/" + std::to_string(child) + "/comm");
    std::string name;
    if (std::getline(in, name)) names.push_back(name);
  }
  return names;
}

}  // namespace runner
