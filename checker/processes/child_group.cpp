#include "processes/child_group.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>

#include "processes/cannot_do.h"
#include "processes/files.h"
#include "processes/process_tree.h"
#include "processes/start.h"

namespace processes {
namespace {

std::string environment_of(pid_t process) {
  return content_of("/proc/" + std::to_string(process) + "/environ").value_or("");
}

/// True also when it has ended, and so is none of ours to end.
bool is_independent(pid_t process) {
  std::string environment = environment_of(process);
  if (environment.empty()) {
    // During exec it has none. Stopped, it is one program or the other.
    kill(process, SIGSTOP);
    int wait_status = 0;
    if (waitpid(process, &wait_status, WUNTRACED) == process && !WIFSTOPPED(wait_status)) return true;
    environment = environment_of(process);
    kill(process, SIGCONT);
  }
  const std::string mark = std::string(independent_variable) + "=";
  std::istringstream entries(environment);
  for (std::string entry; std::getline(entries, entry, '\0');) {
    if (entry.starts_with(mark)) return true;
  }
  return false;
}

/// Our children that are to be ended. Independent programs that have ended are only reaped.
std::vector<pid_t> orphans() {
  std::vector<pid_t> left;
  for (const pid_t child : children_of(getpid())) {
    if (waitpid(child, nullptr, WNOHANG) == 0 && !is_independent(child)) left.push_back(child);
  }
  return left;
}

/// Ends what ended children have left behind: their orphans are ours, because we are their subreaper. Only
/// when none runs: a child may count on a process of its own that it has let go.
void end_orphans() { end_children(orphans, std::chrono::seconds(1), std::chrono::seconds(5)); }

}  // namespace

void child_group::running_child::take_output() {
  if (!output.is_open()) return;
  std::array<char, 4096> space;
  const ssize_t length = read(output.number(), space.data(), space.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) return output.reset();
  text.append(space.data(), static_cast<std::size_t>(length));
}

/// What it printed just before its end may still be in the pipe.
void child_group::running_child::take_the_rest() {
  for (std::size_t before = text.size() + 1; output.is_open() && before != text.size();) {
    before = text.size();
    take_output();
  }
  output.reset();
}

child_group::child_group() { adopt_orphans(); }

child_group::~child_group() {
  while (!running_.empty()) end(running_.back().process);
}

pid_t child_group::start(const std::vector<std::string>& command, const std::filesystem::path& folder,
                         std::chrono::milliseconds limit) {
  pipe_ends output = make_pipe();
  fcntl(output.reader.number(), F_SETFL, O_NONBLOCK);
  const int writer = output.writer.number();
  // A group of its own, so that one signal reaches all of it, and the terminal's Ctrl-C only us.
  const started_program started = processes::start({.arguments = command,
                                                    .directory = folder,
                                                    .output = writer,
                                                    .errors = writer,
                                                    .group = process_group::own});
  if (started.error != 0) {
    throw cannot_do(command.front() +
                    " could not be started: " + std::generic_category().message(started.error));
  }
  running_.push_back({started.id, std::move(output.reader), "", std::nullopt});
  if (limit.count() > 0) running_.back().deadline = std::chrono::steady_clock::now() + limit;
  return started.id;
}

void child_group::end(pid_t child) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const running_child& running) { return running.process == child; });
  if (found == running_.end()) return;
  kill(-child, SIGKILL);
  wait_for(child);
  running_.erase(found);
  if (running_.empty()) end_orphans();
}

std::string_view child_group::output_of(pid_t child) const {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const running_child& running) { return running.process == child; });
  return found == running_.end() ? std::string_view() : found->text;
}

void child_group::add_outputs(std::vector<pollfd>& watched) const {
  for (const running_child& child : running_) watched.push_back({child.output.number(), POLLIN, 0});
}

bool child_group::is_one_silent() const {
  return std::any_of(running_.begin(), running_.end(),
                     [](const running_child& child) { return !child.output.is_open(); });
}

void child_group::take_output() {
  for (running_child& child : running_) child.take_output();
}

std::vector<ended_child> child_group::take_ended() {
  std::vector<ended_child> ended;
  for (std::size_t i = 0; i < running_.size();) {
    running_child& child = running_[i];
    int wait_status = 0;
    rusage usage{};
    const bool is_over_limit = child.deadline && std::chrono::steady_clock::now() >= *child.deadline;
    if (is_over_limit) kill(-child.process, SIGKILL);
    if (wait4(child.process, &wait_status, is_over_limit ? 0 : WNOHANG, &usage) == 0) {
      ++i;
      continue;
    }
    forget_child(child.process);
    kill(-child.process, SIGKILL);  // what it left behind in its group
    child.take_the_rest();
    outcome result = outcome_from(wait_status, usage);
    result.output = std::move(child.text);
    result.is_over_limit = is_over_limit && result.signal == SIGKILL;
    ended.push_back({child.process, std::move(result)});
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!ended.empty() && running_.empty()) end_orphans();
  return ended;
}

}  // namespace processes
