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
#include <cstddef>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

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

/// Kills what ended children have left behind: orphans become ours, because we are their "subreaper".
void end_what_is_left() {
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

struct running_child {
  std::size_t index = 0;  ///< in the list of commands
  pid_t process = 0;
  int output = -1;  ///< our end of its pipe, -1 once that is closed
  clock::time_point began;
  child_outcome outcome;

  void close_output() {
    if (output >= 0) close(output);
    output = -1;
  }
  void take_output() {
    if (output >= 0 && !read_some(output, outcome.output)) close_output();
  }
  /// What it printed just before its end may still be in the pipe.
  void take_the_rest() {
    for (std::size_t before = outcome.output.size() + 1; output >= 0 && before != outcome.output.size();) {
      before = outcome.output.size();
      take_output();
    }
    close_output();
  }
};

running_child started(std::size_t index, const std::vector<std::string>& command,
                      const std::filesystem::path& folder, const sigset_t& mask) {
  std::array<int, 2> pipe_ends;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const auto [ours, theirs] = pipe_ends;
  fcntl(ours, F_SETFL, O_NONBLOCK);
  try {
    const pid_t process = start(command, folder, theirs, mask);
    close(theirs);
    return {index, process, ours, clock::now(), {}};
  } catch (...) {
    close(ours);
    close(theirs);
    throw;
  }
}

/// The children that run; ends all of them when it goes.
class child_group {
 public:
  child_group() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~child_group() {
    for (running_child& each : running_) {
      kill(-each.process, SIGKILL);
      each.close_output();
    }
    end_what_is_left();
  }
  child_group(const child_group&) = delete;
  child_group& operator=(const child_group&) = delete;

  void add(running_child child) { running_.push_back(std::move(child)); }
  std::size_t size() const { return running_.size(); }

  /// Waits until something is printed, a child ends (noticed at the next tick at the latest, even when
  /// something it left behind holds the pipe) or a signal arrives; returns that signal, or 0.
  int wait(const caught_signals& signals) {
    std::vector<pollfd> watched{{signals.descriptor(), POLLIN, 0}};
    int tick_milliseconds = 100;
    for (const running_child& each : running_) {
      watched.push_back({each.output, POLLIN, 0});
      if (each.output < 0) tick_milliseconds = 5;
    }
    poll(watched.data(), watched.size(), tick_milliseconds);
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (watched[i + 1].revents != 0) running_[i].take_output();
    }
    return signals.take();
  }

  /// Takes out those that have ended.
  std::vector<running_child> take_ended() {
    std::vector<running_child> ended;
    for (std::size_t i = 0; i < running_.size();) {
      int wait_status = 0;
      if (waitpid(running_[i].process, &wait_status, WNOHANG) == 0) {
        ++i;
        continue;
      }
      kill(-running_[i].process, SIGKILL);  // what it left behind in its group
      running_[i].take_the_rest();
      running_[i].outcome.exit_status = status_from(wait_status);
      ended.push_back(std::move(running_[i]));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return ended;
  }

  void tell(const progress_function& progress) const {
    for (const running_child& each : running_) {
      progress(each.process,
               std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - each.began));
    }
  }

 private:
  std::vector<running_child> running_;
};

void run_all(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
             std::size_t at_once, const ended_function& ended, const progress_function& progress) {
  const caught_signals signals;
  child_group group;
  for (std::size_t next = 0; next < commands.size() || group.size() > 0;) {
    for (; next < commands.size() && group.size() < at_once; ++next)
      group.add(started(next, commands[next], folder, signals.mask_before()));
    if (const int signal = group.wait(signals); signal != 0) throw interrupted{signal};
    for (running_child& each : group.take_ended()) ended(each.index, std::move(each.outcome));
    if (progress) group.tell(progress);
  }
}

}  // namespace

child_outcome run_child(const std::vector<std::string>& command, const std::filesystem::path& folder,
                        const progress_function& progress) {
  child_outcome only;
  run_all(
      {command}, folder, 1, [&](std::size_t, child_outcome outcome) { only = std::move(outcome); }, progress);
  return only;
}

void run_children(const std::vector<std::vector<std::string>>& commands, const std::filesystem::path& folder,
                  std::size_t at_once, const ended_function& ended) {
  run_all(commands, folder, at_once, ended, nullptr);
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
