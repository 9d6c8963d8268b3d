#include "checking/run_tool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace checking {

namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

constexpr int could_not_execute = 127;

// Between fork and exec only calls that are safe there.
[[noreturn]] void become(const char* program, char* const* arguments, int output, int null_device,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(could_not_execute);
  dup2(null_device, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(program, arguments);
  _exit(could_not_execute);
}

std::string read_to_end(int descriptor) {
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t got = read(descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw_errno("waitpid");
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

tool_outcome run_tool(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  if (access(program.c_str(), X_OK) != 0) throw_errno("cannot run " + program.string());
  std::string name = program.string();
  std::vector<std::string> texts = arguments;
  std::vector<char*> pointers{name.data()};
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe2");
  const int null_device = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(name.c_str(), pointers.data(), ends[1], null_device, parent);
  const int fork_error = errno;
  close(null_device);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw std::system_error(fork_error, std::generic_category(), "fork");
  }
  tool_outcome outcome;
  outcome.output = read_to_end(ends[0]);
  close(ends[0]);
  outcome.exit_status = status_of(child);
  return outcome;
}

}  // namespace checking
