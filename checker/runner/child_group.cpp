#include "runner/child_group.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "runner/errors.h"
#include "runner/learners_program.h"

namespace runner {
namespace {

/// Everything that the new process needs, made before the fork.
struct prepared_start {
  std::vector<char*> arguments;
  const char* folder = nullptr;
  int output = -1;
  int failure = -1;  ///< where it writes the errno of what did not work
  sigset_t mask{};
  pid_t parent = 0;
};

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(const prepared_start& what) {
  // A group of its own, so that one signal reaches all of it, and the terminal's Ctrl-C only us. When we are
  // killed, nobody is left to send that signal: then it dies with us, and what it has started with it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != what.parent) _exit(1);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(what.output, STDOUT_FILENO) >= 0 &&
      dup2(what.output, STDERR_FILENO) >= 0 && chdir(what.folder) == 0) {
    if (nothing > STDERR_FILENO) close(nothing);
    sigprocmask(SIG_SETMASK, &what.mask, nullptr);
    execv(what.arguments[0], what.arguments.data());
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = write(what.failure, &reason, sizeof reason);
  _exit(1);
}

pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& folder, int output,
            const sigset_t& mask) {
  std::array<int, 2> failure_ends;
  if (pipe2(failure_ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const auto [heard, told] = failure_ends;
  prepared_start what{{}, folder.c_str(), output, told, mask, getpid()};
  for (const std::string& argument : command) what.arguments.push_back(const_cast<char*>(argument.c_str()));
  what.arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(what);
  int failure = child < 0 ? errno : 0;
  if (child > 0) setpgid(child, child);  // here too: it may be ended before it has come to that itself
  close(told);
  if (child > 0 && read(heard, &failure, sizeof failure) > 0) waitpid(child, nullptr, 0);
  close(heard);
  if (failure != 0)
    throw cannot_do(command.front() + " could not be started: " + std::generic_category().message(failure));
  return child;
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

std::string environment_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Whether it was started for the learner; also when it has ended, and so is none of ours to end.
bool is_learners_program(pid_t process) {
  std::string environment = environment_of(process);
  if (environment.empty()) {
    // While it becomes another program it has none. Stopped, it is one or the other.
    kill(process, SIGSTOP);
    int wait_status = 0;
    if (waitpid(process, &wait_status, WUNTRACED) == process && !WIFSTOPPED(wait_status)) return true;
    environment = environment_of(process);
    kill(process, SIGCONT);
  }
  const std::string mark = std::string(learners_program_variable) + "=";
  std::istringstream entries(environment);
  for (std::string each; std::getline(entries, each, '\0');) {
    if (each.rfind(mark, 0) == 0) return true;
  }
  return false;
}

/// Our children that are to be ended. Those of the learner's programs that have ended are only buried.
std::vector<pid_t> orphans() {
  std::vector<pid_t> left;
  for (const pid_t each : children_of(getpid())) {
    if (waitpid(each, nullptr, WNOHANG) == 0 && !is_learners_program(each)) left.push_back(each);
  }
  return left;
}

/// Kills what ended children have left behind: their orphans are ours, because we are their "subreaper". Only
/// when none runs: a child may count on a process of its own that it has let go.
void end_orphans() {
  for (std::vector<pid_t> left = orphans(); !left.empty(); left = orphans()) {
    for (const pid_t each : left) kill(each, SIGKILL);
    for (const pid_t each : left) waitpid(each, nullptr, 0);
  }
}

}  // namespace

void child_group::running_child::close_output() {
  if (output >= 0) close(output);
  output = -1;
}

void child_group::running_child::take_output() {
  if (output >= 0 && !read_some(output, outcome.output)) close_output();
}

/// What it printed just before its end may still be in the pipe.
void child_group::running_child::take_the_rest() {
  for (std::size_t before = outcome.output.size() + 1; output >= 0 && before != outcome.output.size();) {
    before = outcome.output.size();
    take_output();
  }
  close_output();
}

child_group::child_group() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

child_group::~child_group() {
  while (!running_.empty()) end(running_.back().process);
}

pid_t child_group::start(const std::vector<std::string>& command, const std::filesystem::path& folder,
                         const sigset_t& mask) {
  std::array<int, 2> pipe_ends;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const auto [ours, theirs] = pipe_ends;
  fcntl(ours, F_SETFL, O_NONBLOCK);
  try {
    running_.push_back({spawn(command, folder, theirs, mask), ours, {}});
    close(theirs);
    return running_.back().process;
  } catch (...) {
    close(ours);
    close(theirs);
    throw;
  }
}

void child_group::end(pid_t child) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const running_child& each) { return each.process == child; });
  if (found == running_.end()) return;
  kill(-child, SIGKILL);
  waitpid(child, nullptr, 0);
  found->close_output();
  running_.erase(found);
  if (running_.empty()) end_orphans();
}

void child_group::add_outputs(std::vector<pollfd>& watched) const {
  for (const running_child& each : running_) watched.push_back({each.output, POLLIN, 0});
}

bool child_group::is_one_silent() const {
  return std::any_of(running_.begin(), running_.end(),
                     [](const running_child& each) { return each.output < 0; });
}

void child_group::take_output() {
  for (running_child& each : running_) each.take_output();
}

std::vector<ended_child> child_group::take_ended() {
  std::vector<ended_child> ended;
  for (std::size_t i = 0; i < running_.size();) {
    running_child& each = running_[i];
    int wait_status = 0;
    if (waitpid(each.process, &wait_status, WNOHANG) == 0) {
      ++i;
      continue;
    }
    kill(-each.process, SIGKILL);  // what it left behind in its group
    each.take_the_rest();
    each.outcome.exit_status = status_from(wait_status);
    ended.push_back({each.process, std::move(each.outcome)});
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!ended.empty() && running_.empty()) end_orphans();
  return ended;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream in("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
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
