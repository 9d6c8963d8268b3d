// start.h: starts a program without a shell. The only place that forks to execute another program.
//
// Not here: waiting and capturing (run.h for one program, child_group.h for several, guardian.h for programs
// that nobody trusts).
//
//     const auto started = processes::start({.arguments = {"git", "--version"}});
//     if (started.error == 0) processes::wait_for(started.id);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace processes {

/// Values of start_options::input, output and errors that are not descriptors.
enum standard_stream : int { null_device = -1, inherited = -2 };

/// Where the signals of a terminal reach the program: with its caller, or alone.
enum class process_group { of_caller, own, own_session };

/// Whether a program ends when the process that started it does.
enum class lifetime { of_caller, independent };

/// What a program gives up just before it begins, for itself and all that it starts.
struct confinement {
  /// Of landlock.h.
  int rules = -1;
  /// Of system_call_filter.h.
  std::string filter;
  /// The user and group that it becomes; 0: it stays who it is.
  uid_t user = 0;
  /// Of that user, threads included; 0: no limit.
  std::size_t processes = 0;
  /// Of each file.
  std::size_t file_bytes = 0;
};

/// What to start. The program begins with no signal blocked, and with SIGPIPE and SIGCHLD as by default.
struct start_options {
  /// arguments[0] is the program: a path, or a name that is searched in PATH.
  std::vector<std::string> arguments;
  /// "NAME=value", all of it; absent: that of this process.
  std::optional<std::vector<std::string>> environment = std::nullopt;
  /// The working directory; "" for that of this process.
  std::filesystem::path directory = {};
  /// Descriptors, or values of standard_stream.
  int input = null_device;
  int output = inherited;
  int errors = inherited;
  /// Become 3, 4, ...; every other descriptor above 2 is closed.
  std::vector<int> passed_descriptors = {};
  process_group group = process_group::of_caller;
  lifetime life = lifetime::of_caller;
  /// 0: no limit. The program gets SIGXCPU at the limit, and SIGKILL when it has used so much more.
  std::chrono::seconds cpu_time_limit{0};
  std::chrono::seconds cpu_time_beyond{1};
  /// Of addresses, for the program and each that it starts; 0: no limit.
  std::size_t memory_limit_bytes = 0;
  /// Of cgroups that the program becomes a member of: their files cgroup.procs (control_group.h).
  std::vector<std::filesystem::path> groups = {};
  /// The program is bubblewrap, which has started another one behind its first process: that one gets the signals.
  bool is_sandbox = false;
  std::optional<confinement> confined = std::nullopt;
  /// For programs of learners: no core dump, and the same addresses in every run.
  bool is_exercise = false;
};

/// The new process, or the errno of what did not work.
struct started_program {
  pid_t id = -1;
  int error = 0;
};

/// Returns when the program is running or could not be started; in that case no process is left.
started_program start(const start_options& options);

/// In the environment of independent programs: what they leave running is not ended (child_group.h).
inline constexpr auto independent_variable = "STREAMLINGS_LEARNERS_PROGRAM";

}  // namespace processes
