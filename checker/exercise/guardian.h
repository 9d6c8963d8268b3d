// guardian.h: a process between the checker and an exercise program, so that nothing the program starts
// outlives it.
//
// The guardian starts the program, adopts whatever the program's children leave behind
// (PR_SET_CHILD_SUBREAPER), and when the program has ended, or the checker has gone away or asks for it,
// kills all that is left below it. Only then it reports. Not here: limits on time and output, and what the
// program says (launch.cpp).
//
//     exercise::guardian watch({.program = "build/lesson03", ...});
//     watch.stop();                        // optional: kills the program
//     auto report = watch.read_report();   // when descriptor() is readable
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace exercise {

/// What to start, and with what limits.
struct guarded_program {
  std::filesystem::path program;         ///< the file to start
  std::vector<std::string> arguments;    ///< behind its name
  std::vector<std::string> environment;  ///< "NAME=value", all of it
  int channel = -1;                      ///< the only descriptor above 2 that the program gets
  int output = -1;  ///< its stdout and stderr; -1: the caller's, and the caller's stdin and process group
  std::chrono::seconds cpu_time{0};  ///< 0: no limit
};

/// How the program ended.
struct guardian_report {
  int start_error = 0;                   ///< errno of the attempt to start it; 0: it was started
  int wait_status = 0;                   ///< as waitpid gives it
  std::chrono::nanoseconds cpu_time{0};  ///< of the program and all that it started and waited for
};

/// A process between this one and a program: when this one dies, the program and all that it started die too.
class guardian {
 public:
  /// Starts the guardian and through it the program. Throws std::system_error when this process is out of
  /// resources.
  explicit guardian(const guarded_program& what);
  /// Kills the program and what it started, if that is still there, and waits until it is gone.
  ~guardian();
  guardian(const guardian&) = delete;
  guardian& operator=(const guardian&) = delete;

  /// Readable when there is a report, or when the guardian itself was killed.
  int descriptor() const { return control_; }
  /// Asks for the end of the program and of all it started. The report still comes.
  void stop();
  /// Waits for the report, which comes when nothing is left running; nothing when the guardian itself was
  /// killed.
  std::optional<guardian_report> read_report();

 private:
  int control_ = -1;
  pid_t process_ = -1;
};

}  // namespace exercise
