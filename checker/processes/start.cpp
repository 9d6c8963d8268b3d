#include "processes/start.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "processes/descriptor.h"
#include "processes/environment.h"
#include "processes/outcome.h"
#include "processes/process_tree.h"

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

/// The first number that the program does not use.
int first_free(const start_options& options) {
  return STDERR_FILENO + 1 + static_cast<int>(options.passed_descriptors.size());
}

/// A descriptor above those of the program, so that none of these replaces it.
int out_of_the_way(int descriptor, const start_options& options) {
  return descriptor >= first_free(options) ? descriptor
                                           : fcntl(descriptor, F_DUPFD_CLOEXEC, first_free(options));
}

bool enter_groups(const start_options& options) {
  for (const std::filesystem::path& file : options.groups) {
    const int members = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const bool is_member = members >= 0 && write(members, "0", 1) == 1;
    if (members >= 0) close(members);
    if (!is_member) return false;
  }
  return true;
}

/// Only calls that are safe after a fork, so no memory.
bool set_descriptors(const start_options& options) {
  constexpr std::size_t max_descriptors = 16;
  std::array<int, max_descriptors> sources{options.input, options.output, options.errors};
  const std::size_t count = 3 + options.passed_descriptors.size();
  if (count > max_descriptors) {
    errno = EMFILE;
    return false;
  }
  for (std::size_t i = 3; i < count; ++i) sources[i] = options.passed_descriptors[i - 3];
  for (std::size_t i = 0; i < count; ++i) {
    if (sources[i] == inherited) continue;
    if (sources[i] == null_device) sources[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
    sources[i] = out_of_the_way(sources[i], options);
    if (sources[i] < 0) return false;
  }
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (std::size_t i = 0; i < count; ++i) {
    if (sources[i] != inherited && dup2(sources[i], static_cast<int>(i)) < 0) return false;
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

/// Only system calls: those of the C library would tell other threads.
bool become(uid_t user) {
  return syscall(SYS_setgroups, 0, nullptr) == 0 && syscall(SYS_setresgid, user, user, user) == 0 &&
         syscall(SYS_setresuid, user, user, user) == 0;
}

/// The last step before the program begins. Only system calls.
bool confine(const confinement& to) {
  set_limit(RLIMIT_FSIZE, to.file_bytes, to.file_bytes);
  if (to.processes > 0) set_limit(RLIMIT_NPROC, to.processes, to.processes);
  if (to.user != 0 && !become(to.user)) return false;
  const sock_fprog filter{static_cast<unsigned short>(to.filter.size() / sizeof(sock_filter)),
                          reinterpret_cast<sock_filter*>(const_cast<char*>(to.filter.data()))};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, to.rules, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Ends with the process that started it.
void follow(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

/// Begins a program. It returns when that did not work.
void execute_confined(const prepared_start& prepared) {
  // Opened by who may: the program's user might not come to it.
  const int program = open(prepared.program, O_PATH | O_CLOEXEC);
  if (program < 0 || !confine(*prepared.options.confined)) return;
  // A process that becomes another user forgets whom it follows.
  if (prepared.options.life == lifetime::of_caller) follow(prepared.parent);
  execveat(program, "", prepared.arguments, prepared.environment, AT_EMPTY_PATH);
}

/// Between fork and exec: only calls that are safe there, because other threads may hold locks.
[[noreturn]] void execute(const prepared_start& prepared) {
  const start_options& options = prepared.options;
  const int report = out_of_the_way(prepared.report, options);
  set_group(options.group);
  if (options.life == lifetime::of_caller) follow(prepared.parent);
  bool is_ready = enter_groups(options) && set_descriptors(options);
  if (!options.directory.empty()) is_ready = is_ready && chdir(options.directory.c_str()) == 0;
  if (is_ready) {
    if (options.is_exercise) {
      set_limit(RLIMIT_CORE, 0, 0);
      personality(ADDR_NO_RANDOMIZE);
    }
    if (const auto seconds = static_cast<rlim_t>(options.cpu_time_limit.count()); seconds > 0)
      set_limit(RLIMIT_CPU, seconds, seconds + static_cast<rlim_t>(options.cpu_time_beyond.count()));
    if (const rlim_t bytes = options.memory_limit_bytes; bytes > 0) set_limit(RLIMIT_AS, bytes, bytes);
    reset_signals();
    if (!options.confined)
      execve(prepared.program, prepared.arguments, prepared.environment);
    else
      execute_confined(prepared);
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
  const pid_t child = fork_child();
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
