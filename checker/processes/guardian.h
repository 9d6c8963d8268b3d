// guardian.h: a process between the checker and an exercise program, so that nothing the program starts
// outlives it.
//
// The guardian starts the program, adopts whatever the program's children leave behind
// (PR_SET_CHILD_SUBREAPER), and when the program has ended, or the checker has gone away or asks for it,
// kills all that is left below it. Only then it reports.
//
// A program may stop or kill its guardian. Then the process that made the guardian ends all of it.
//
//     processes::guardian watch({.arguments = {"build/lesson03"}, ...});
//     watch.stop();                         // optional: kills the program
//     auto outcome = watch.read_outcome();  // when descriptor() is readable
#pragma once

#include <sys/types.h>

#include <optional>

#include "processes/descriptor.h"
#include "processes/outcome.h"
#include "processes/start.h"

namespace processes {

/// A process between this one and a program: when this one dies, the program and all that it started die too.
/// Both have sessions of their own: no terminal controls the program. This process adopts orphans.
class guardian {
 public:
  /// Starts the guardian and through it the program. Throws std::system_error when this process is out of resources.
  explicit guardian(start_options options);
  /// Kills the program and what it started, if that is still there, and waits until it is gone.
  ~guardian();
  guardian(const guardian&) = delete;
  guardian& operator=(const guardian&) = delete;

  /// Readable when there is an outcome, or when the guardian itself was killed.
  int descriptor() const { return control_.number(); }
  /// Sends a signal to the program's process group; in a sandbox, to all that runs there.
  void send_signal(int signal);
  /// Asks for the end of the program and of all it started. The outcome still comes.
  void stop();
  /// True when the program has stopped the guardian, which then can neither report nor obey.
  bool is_stopped() const;
  /// Kills the guardian, the program and all that it started. No outcome comes.
  void kill();
  /// Waits for the outcome, which comes when nothing is left running, and has no output; nothing when the
  /// guardian itself was killed: then what it watched over is ended here.
  std::optional<outcome> read_outcome();

 private:
  void end_all();

  processes::descriptor control_;
  pid_t process_ = -1;
};

}  // namespace processes
