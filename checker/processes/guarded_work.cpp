#include "processes/guarded_work.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <thread>

#include "processes/files.h"
#include "processes/outcome.h"
#include "processes/process_tree.h"

namespace processes {
namespace {

constexpr int failed = 2;

/// The kernel sends SIGTERM here when the parent is gone.
int work_in_group(const std::function<int(const std::filesystem::path&)>& work, pid_t parent) {
  setpgid(0, 0);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) return failed;
  const temporary_folder temporary;
  setenv("TMPDIR", temporary.path().c_str(), 1);
  std::thread([signals, folder = temporary.path()] {
    int received = 0;
    sigwait(&signals, &received);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    kill(0, SIGKILL);
  }).detach();
  return work(temporary.path());
}

}  // namespace

int run_guarded(const std::function<int(const std::filesystem::path& temporary)>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork_child();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (child == 0) {
    int status = failed;
    try {
      status = work_in_group(work, parent);
    } catch (const std::exception& problem) {
      const std::string message = std::string(program_invocation_short_name) + ": " + problem.what() + '\n';
      if (write(STDERR_FILENO, message.data(), message.size()) < 0) status = failed;
    }
    _exit(status);
  }
  const outcome ended = wait_for(child);
  return ended.signal == 0 ? ended.exit_status : failed;
}

}  // namespace processes
