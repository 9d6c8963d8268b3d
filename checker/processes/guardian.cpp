#include "processes/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "processes/process_tree.h"

namespace processes {
namespace {

/// What the guardian sends when nothing is left running.
struct report {
  int start_error = 0;
  int wait_status = 0;
  rusage usage{};
};

/// For processes that were killed to be gone: the kernel may still have to give their memory back.
constexpr std::chrono::seconds limit_of_end{5};

class watcher {
 public:
  watcher(int control, pid_t program, bool is_sandbox)
      : control_(control), program_(program), is_sandbox_(is_sandbox) {}

  /// Returns when the program has ended, or is not wanted any more. Passes signals to it meanwhile.
  void wait_for_an_end() {
    const descriptor program(static_cast<int>(syscall(SYS_pidfd_open, program_, 0)));
    for (;;) {
      pollfd watched[2] = {{control_, POLLIN, 0}, {program.number(), POLLIN, 0}};
      if (poll(watched, 2, -1) < 0) continue;
      if (watched[1].revents != 0) return;
      int signal = 0;
      if (recv(control_, &signal, sizeof signal, 0) != static_cast<ssize_t>(sizeof signal)) return;
      pass_on(signal);
    }
  }

  /// Ends everything below this process and takes the program's status on the way.
  report end_everything() {
    reap(WNOHANG);
    while (has_children_) {
      signal_below(getpid(), SIGKILL);
      reap(0);
      reap(WNOHANG);
    }
    return report_;
  }

 private:
  void pass_on(int signal) {
    if (!is_sandbox_) {
      ::kill(-program_, signal);
      return;
    }
    for (const pid_t first : children_of(program_)) signal_below(first, signal);
  }

  /// What the program's orphans used counts too: a sandbox leaves the program itself as one.
  void add(const rusage& usage) {
    timeradd(&report_.usage.ru_utime, &usage.ru_utime, &report_.usage.ru_utime);
    timeradd(&report_.usage.ru_stime, &usage.ru_stime, &report_.usage.ru_stime);
    report_.usage.ru_maxrss = std::max(report_.usage.ru_maxrss, usage.ru_maxrss);
  }

  /// With WNOHANG takes all that have ended, else waits for one.
  void reap(int flags) {
    do {
      int status = 0;
      rusage usage{};
      const pid_t ended = wait4(-1, &status, flags, &usage);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) has_children_ = false;
      if (ended <= 0) return;
      add(usage);
      if (ended == program_) report_.wait_status = status;
    } while (flags == WNOHANG);
  }

  int control_;
  pid_t program_;
  bool is_sandbox_;
  bool has_children_ = true;
  report report_;
};

[[noreturn]] void watch_over(const start_options& options, int control) {
  // The guardian ends only when nothing is left below it.
  setsid();
  prctl(PR_SET_DUMPABLE, 0);  // else the program could trace it
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  adopt_orphans();
  std::signal(SIGCHLD, SIG_DFL);
  const started_program program = start(options);
  report last{.start_error = program.error};
  if (program.error == 0) {
    // Copies of the caller's descriptors would keep its pipes open.
    dup2(control, 3);
    close_range(4, ~0U, 0);
    control = 3;
    watcher watch(control, program.id, options.is_sandbox);
    watch.wait_for_an_end();
    last = watch.end_everything();
  }
  send(control, &last, sizeof last, MSG_NOSIGNAL);
  _exit(0);
}

}  // namespace

guardian::guardian(start_options options) {
  options.group = process_group::own_session;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  const processes::descriptor theirs(ends[1]);
  control_ = processes::descriptor(ends[0]);
  adopt_orphans();
  process_ = fork_child();
  if (process_ == 0) watch_over(options, theirs.number());
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
}

guardian::~guardian() {
  control_.reset();
  if (process_ > 0) end_all();
}

void guardian::send_signal(int signal) { send(control_.number(), &signal, sizeof signal, MSG_NOSIGNAL); }

void guardian::stop() { shutdown(control_.number(), SHUT_WR); }

bool guardian::is_stopped() const { return processes::is_stopped(process_); }

void guardian::kill() {
  if (process_ > 0) end_all();
}

// A program that traces the guardian keeps it from being reaped until the program itself has ended.
void guardian::end_all() {
  const auto end = std::chrono::steady_clock::now() + limit_of_end;
  ::kill(process_, SIGKILL);
  for (; waitpid(process_, nullptr, WNOHANG) == 0 && std::chrono::steady_clock::now() < end;
       poll(nullptr, 0, 1))
    end_children(adopted_children, std::chrono::milliseconds(0), std::chrono::milliseconds(0));
  forget_child(process_);
  process_ = -1;
  end_children(adopted_children, std::chrono::milliseconds(0), limit_of_end);
}

std::optional<outcome> guardian::read_outcome() {
  report last;
  ssize_t length = 0;
  // Linux tells of a signal that the guardian has not read any more, ECONNRESET, before it hands over the report.
  while ((length = recv(control_.number(), &last, sizeof last, 0)) < 0 &&
         (errno == EINTR || errno == ECONNRESET)) {
  }
  if (length != static_cast<ssize_t>(sizeof last)) {
    kill();
    return std::nullopt;
  }
  wait_for(process_);
  process_ = -1;
  return last.start_error != 0 ? outcome_of_failed_start(last.start_error)
                               : outcome_from(last.wait_status, last.usage);
}

}  // namespace processes
