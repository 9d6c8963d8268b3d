#include "cuda_compiler/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>

namespace cuda_compiler {
namespace {

[[noreturn]] void throw_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// Between fork and exec: only calls that are safe there, because other threads may hold locks.
[[noreturn]] void become(char* const* arguments, const char* output, const char* errors, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const sigset_t signals = ending_signals();
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  const int files[3] = {open("/dev/null", O_RDONLY), open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                        open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
  bool is_ready = true;
  for (int i = 0; i < 3; ++i) is_ready = is_ready && files[i] >= 0 && dup2(files[i], i) == i;
  if (is_ready) execvp(arguments[0], arguments);
  const int error = errno;
  if (write(report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

std::filesystem::path make_temporary_directory() {
  std::string name = std::filesystem::temp_directory_path() / "streamlings-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw_error("cannot make a temporary directory");
  return name;
}

void remove_quietly(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

/// The child of run_guarded. The kernel sends SIGTERM here when the parent is gone.
int work_in_group(const std::function<int(const std::filesystem::path&)>& work, pid_t parent) {
  setpgid(0, 0);
  const sigset_t signals = ending_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) return 2;
  const std::filesystem::path temporary = make_temporary_directory();
  setenv("TMPDIR", temporary.c_str(), 1);
  std::thread([signals, temporary] {
    int received = 0;
    sigwait(&signals, &received);
    remove_quietly(temporary);
    kill(0, SIGKILL);
  }).detach();
  try {
    const int status = work(temporary);
    remove_quietly(temporary);
    return status;
  } catch (...) {
    remove_quietly(temporary);
    throw;
  }
}

}  // namespace

program_end run_program(const std::vector<std::string>& arguments, const std::filesystem::path& output,
                        const std::filesystem::path& errors) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) throw_error("cannot make a pipe");
  const pid_t child = fork();
  if (child == 0) become(pointers.data(), output.c_str(), errors.c_str(), report[1]);
  close(report[1]);
  program_end end;
  if (child < 0) {
    end.start_error = errno;
    close(report[0]);
    return end;
  }
  int start_error = 0;
  if (read(report[0], &start_error, sizeof start_error) == sizeof start_error) end.start_error = start_error;
  close(report[0]);
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_status = WEXITSTATUS(status);
  return end;
}

int run_guarded(const std::function<int(const std::filesystem::path& temporary)>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw_error("cannot start a process");
  if (child == 0) {
    int status = 2;
    try {
      status = work_in_group(work, parent);
    } catch (const std::exception& problem) {
      const std::string message = "streamlings-compile: " + std::string(problem.what()) + '\n';
      if (write(STDERR_FILENO, message.data(), message.size()) < 0) status = 2;
    }
    _exit(status);
  }
  const int status = wait_for(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

}  // namespace cuda_compiler
