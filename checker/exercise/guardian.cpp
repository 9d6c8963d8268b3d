#include "exercise/guardian.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

namespace exercise {
namespace {

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void send_report(int control, const guardian_report& report) {
  [[maybe_unused]] const ssize_t sent = send(control, &report, sizeof report, MSG_NOSIGNAL);
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const rlimit limits{soft, hard};
  setrlimit(resource, &limits);
}

/// What the program's process does before it becomes the program.
[[noreturn]] void become(const guarded_program& what, char** arguments, char** environment,
                         const sigset_t& mask, int control, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  if (what.output >= 0) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(what.output, STDOUT_FILENO);
    dup2(what.output, STDERR_FILENO);
  }
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  fcntl(what.channel, F_SETFD, 0);
  limit(RLIMIT_CORE, 0, 0);
  if (what.cpu_time.count() > 0) {
    const auto seconds = static_cast<rlim_t>(what.cpu_time.count());
    limit(RLIMIT_CPU, seconds, seconds + 1);  // SIGXCPU, and SIGKILL for a program that does not listen
  }
  personality(ADDR_NO_RANDOMIZE);
  std::signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(arguments[0], arguments, environment);
  send_report(control, {.start_error = errno});
  _exit(127);
}

struct process_entry {
  pid_t parent = 0;
  pid_t group = 0;
};

/// Parent and process group from /proc/PID/stat, "PID (name) state parent group ...", where the name may hold
/// anything.
std::optional<process_entry> read_process_entry(const char* pid) {
  const std::string file = std::string("/proc/") + pid + "/stat";
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  char space[512];
  const ssize_t length = read(descriptor, space, sizeof space);
  close(descriptor);
  const std::string_view text(space, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::size_t end_of_name = text.rfind(") ");
  if (end_of_name == std::string_view::npos || end_of_name + 4 > text.size()) return std::nullopt;
  process_entry entry;
  const char* end = text.data() + text.size();
  const auto parent = std::from_chars(text.data() + end_of_name + 4, end, entry.parent);
  if (parent.ptr == end || std::from_chars(parent.ptr + 1, end, entry.group).ec != std::errc{})
    return std::nullopt;
  return entry;
}

std::unordered_map<pid_t, process_entry> all_processes() {
  std::unordered_map<pid_t, process_entry> processes;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* item = readdir(folder)) {
    pid_t pid = 0;
    const char* end = item->d_name + std::strlen(item->d_name);
    if (std::from_chars(item->d_name, end, pid).ptr != end) continue;
    if (const auto entry = read_process_entry(item->d_name)) processes[pid] = *entry;
  }
  closedir(folder);
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
  guardian_report end_everything() {
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
      if (ended != program_) continue;
      report_.wait_status = status;
      report_.cpu_time = std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    } while (flags == WNOHANG);
  }

  int control_;
  pid_t program_;
  bool has_children_ = true;
  guardian_report report_;
};

[[noreturn]] void be_guardian(const guarded_program& what, char** arguments, char** environment,
                              int control) {
  // The guardian ends only when nothing is left below it: an interrupt of the terminal is for the others.
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::signal(SIGCHLD, SIG_DFL);
  const pid_t self = getpid();
  const pid_t program = fork();
  if (program == 0) become(what, arguments, environment, mask, control, self);
  if (program < 0) {
    send_report(control, {.start_error = errno});
    _exit(1);
  }
  // Copies of the caller's descriptors would keep its pipes open.
  dup2(control, 3);
  close_range(4, ~0U, 0);
  watcher watch(3, program);
  watch.wait_for_an_end();
  send_report(3, watch.end_everything());
  _exit(0);
}

}  // namespace

guardian::guardian(const guarded_program& what) {
  std::vector<std::string> argument_texts{what.program.string()};
  argument_texts.insert(argument_texts.end(), what.arguments.begin(), what.arguments.end());
  std::vector<std::string> environment_texts = what.environment;
  const auto arguments = pointers_to(argument_texts);
  const auto environment = pointers_to(environment_texts);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
  process_ = fork();
  if (process_ == 0)
    be_guardian(what, const_cast<char**>(arguments.data()), const_cast<char**>(environment.data()), ends[1]);
  const int error = errno;
  close(ends[1]);
  control_ = ends[0];
  if (process_ < 0) {
    close(control_);
    throw std::system_error(error, std::generic_category(), "fork");
  }
}

guardian::~guardian() {
  close(control_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void guardian::stop() { shutdown(control_, SHUT_WR); }

std::optional<guardian_report> guardian::read_report() {
  guardian_report last;
  std::optional<guardian_report> merged;
  for (;;) {
    const ssize_t length = recv(control_, &last, sizeof last, 0);
    if (length < 0 && errno == EINTR) continue;
    if (length != static_cast<ssize_t>(sizeof last)) return merged;
    if (merged && merged->start_error != 0) last.start_error = merged->start_error;
    merged = last;
  }
}

}  // namespace exercise
