#include "processes/start.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "processes/descriptor.h"
#include "processes/environment.h"
#include "processes/outcome.h"

namespace processes {
namespace {

/// Everything that the new process needs, made before the fork.
struct prepared_start {
  const start_options& options;
  const char* program;
  char* const* arguments;
  char* const* environment;
  int report;  ///< takes the errno of what did not work
  pid_t parent;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void set_limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const rlimit limits{soft, hard};
  setrlimit(resource, &limits);
}

/// A descriptor above those of the standard streams, so that none of these replaces it.
int above_standard_streams(int descriptor) {
  return descriptor > STDERR_FILENO ? descriptor : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

bool set_standard_streams(const start_options& options) {
  std::array<int, 3> sources{options.input, options.output, options.errors};
  for (int& source : sources) {
    if (source == inherited) continue;
    source = above_standard_streams(source == null_device ? open("/dev/null", O_RDWR | O_CLOEXEC) : source);
    if (source < 0) return false;
  }
  for (int target = 0; target < 3; ++target) {
    if (sources[target] != inherited && dup2(sources[target], target) < 0) return false;
  }
  return true;
}

void set_group(process_group group) {
  if (group == process_group::own) setpgid(0, 0);
  if (group == process_group::own_session) setsid();
}

void reset_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Between fork and exec: only calls that are safe there, because other threads may hold locks.
[[noreturn]] void execute(const prepared_start& prepared) {
  const start_options& options = prepared.options;
  const int report = above_standard_streams(prepared.report);
  set_group(options.group);
  if (options.life == lifetime::of_caller) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(1);
  }
  bool is_ready = set_standard_streams(options);
  if (!options.directory.empty()) is_ready = is_ready && chdir(options.directory.c_str()) == 0;
  if (is_ready) {
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const int passed : options.passed_descriptors) fcntl(passed, F_SETFD, 0);
    if (options.is_exercise) {
      set_limit(RLIMIT_CORE, 0, 0);
      personality(ADDR_NO_RANDOMIZE);
    }
    if (const auto seconds = static_cast<rlim_t>(options.cpu_time_limit.count()); seconds > 0)
      set_limit(RLIMIT_CPU, seconds, seconds + 1);
    if (const rlim_t bytes = options.memory_limit_bytes; bytes > 0) set_limit(RLIMIT_AS, bytes, bytes);
    reset_signals();
    execve(prepared.program, prepared.arguments, prepared.environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

}  // namespace

started_program start(const start_options& options) {
  std::vector<std::string> variables;
  if (options.environment) variables = *options.environment;
  if (options.life == lifetime::independent) {
    if (!options.environment) variables = environment_with({});
    variables.push_back(std::string(independent_variable) + "=1");
  }
  const std::vector<char*> environment = pointers_to(variables);
  const bool has_own_environment = options.environment || options.life == lifetime::independent;
  const std::vector<char*> arguments = pointers_to(options.arguments);
  const std::string program = find_program(options.arguments.front()).string();
  pipe_ends report;
  try {
    report = make_pipe();
  } catch (const std::system_error& failure) {
    return {-1, failure.code().value()};
  }
  const prepared_start prepared{options,
                                program.c_str(),
                                arguments.data(),
                                has_own_environment ? environment.data() : environ,
                                report.writer.number(),
                                getpid()};
  const pid_t child = fork();
  if (child == 0) execute(prepared);
  if (child < 0) return {-1, errno};
  report.writer.reset();
  int error = 0;
  ssize_t length = 0;
  while ((length = read(report.reader.number(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (length <= 0) return {child, 0};
  wait_for(child);
  return {-1, error};
}

}  // namespace processes
