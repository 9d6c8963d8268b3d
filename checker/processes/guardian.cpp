#include "processes/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "processes/files.h"

namespace processes {
namespace {

/// What the guardian sends when nothing is left running.
struct report {
  int start_error = 0;
  int wait_status = 0;
  rusage usage{};
};

struct process_entry {
  pid_t parent = 0;
  pid_t group = 0;
};

/// Parent and process group from /proc/PID/stat, "PID (name) state parent group ...", where the name may hold anything.
std::optional<process_entry> read_process_entry(const std::filesystem::path& folder) {
  const std::string text = content_of(folder / "stat").value_or("");
  const std::size_t end_of_name = text.rfind(") ");
  if (end_of_name == std::string::npos || end_of_name + 4 > text.size()) return std::nullopt;
  process_entry entry;
  const char* end = text.data() + text.size();
  const auto parent = std::from_chars(text.data() + end_of_name + 4, end, entry.parent);
  if (parent.ptr == end || std::from_chars(parent.ptr + 1, end, entry.group).ec != std::errc{})
    return std::nullopt;
  return entry;
}

std::unordered_map<pid_t, process_entry> all_processes() {
  std::unordered_map<pid_t, process_entry> processes;
  std::error_code failure;
  for (const auto& folder : std::filesystem::directory_iterator("/proc", failure)) {
    const std::string name = folder.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size())
      continue;
    if (const auto entry = read_process_entry(folder.path())) processes[pid] = *entry;
  }
  return processes;
}

bool is_below(pid_t pid, pid_t ancestor, const std::unordered_map<pid_t, process_entry>& processes) {
  for (std::size_t step = 0; step <= processes.size(); ++step) {
    const auto found = processes.find(pid);
    if (found == processes.end()) return false;
    pid = found->second.parent;
    if (pid == ancestor) return true;
  }
  return false;
}

/// Kills every process below this one. A process group of theirs is killed at once, so that none of it can
/// fork away.
void kill_descendants(pid_t program) {
  const auto processes = all_processes();
  const pid_t self = getpid();
  std::unordered_set<pid_t> groups;
  for (const auto& [pid, entry] : processes) {
    if (pid == self || !is_below(pid, self, processes)) continue;
    kill(pid, SIGKILL);
    // A group that nobody below us leads is not theirs: with inherited output it is the caller's.
    if (entry.group == program || is_below(entry.group, self, processes)) groups.insert(entry.group);
  }
  for (const pid_t group : groups) kill(-group, SIGKILL);
}

class watcher {
 public:
  watcher(int control, pid_t program) : control_(control), program_(program) {}

  /// Returns when the program has ended, or is not wanted any more.
  void wait_for_an_end() {
    const int program = static_cast<int>(syscall(SYS_pidfd_open, program_, 0));
    pollfd watched[2] = {{control_, POLLIN | POLLRDHUP, 0}, {program, POLLIN, 0}};
    while (poll(watched, 2, -1) < 0 && errno == EINTR) {
    }
  }

  /// Ends everything below this process and takes the program's status on the way.
  report end_everything() {
    reap(WNOHANG);
    while (has_children_) {
      kill_descendants(program_);
      reap(0);
      reap(WNOHANG);
    }
    return report_;
  }

 private:
  /// With WNOHANG takes all that have ended, else waits for one.
  void reap(int flags) {
    do {
      int status = 0;
      rusage usage{};
      const pid_t ended = wait4(-1, &status, flags, &usage);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) has_children_ = false;
      if (ended <= 0) return;
      if (ended == program_) report_ = {0, status, usage};
    } while (flags == WNOHANG);
  }

  int control_;
  pid_t program_;
  bool has_children_ = true;
  report report_;
};

[[noreturn]] void watch_over(const start_options& options, int control) {
  // The guardian ends only when nothing is left below it: an interrupt of the terminal is for the others.
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::signal(SIGCHLD, SIG_DFL);
  const started_program program = start(options);
  report last{.start_error = program.error};
  if (program.error == 0) {
    // Copies of the caller's descriptors would keep its pipes open.
    dup2(control, 3);
    close_range(4, ~0U, 0);
    control = 3;
    watcher watch(control, program.id);
    watch.wait_for_an_end();
    last = watch.end_everything();
  }
  send(control, &last, sizeof last, MSG_NOSIGNAL);
  _exit(0);
}

}  // namespace

guardian::guardian(const start_options& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  const processes::descriptor theirs(ends[1]);
  control_ = processes::descriptor(ends[0]);
  process_ = fork();
  if (process_ == 0) watch_over(options, theirs.number());
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
}

guardian::~guardian() {
  control_.reset();
  wait_for(process_);
}

void guardian::stop() { shutdown(control_.number(), SHUT_WR); }

std::optional<outcome> guardian::read_outcome() {
  report last;
  ssize_t length = 0;
  while ((length = recv(control_.number(), &last, sizeof last, 0)) < 0 && errno == EINTR) {
  }
  if (length != static_cast<ssize_t>(sizeof last)) return std::nullopt;
  return last.start_error != 0 ? outcome_of_failed_start(last.start_error)
                               : outcome_from(last.wait_status, last.usage);
}

}  // namespace processes
