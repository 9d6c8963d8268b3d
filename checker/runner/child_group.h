// child_group.h: programs of ours that run beside us, and of which nothing is left behind.
//
// Not here: waiting for them (child_process.h for verbs that do nothing else meanwhile, watch.cpp).
//
//     runner::child_group checks;
//     const pid_t check = checks.start({"build/bin/check03", "run", ...}, root, signals.mask_before());
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace runner {

/// How a program ended and what it printed.
struct child_outcome {
  int exit_status = 0;  ///< 128 + signal when it was ended by one
  std::string output;   ///< both streams, in the order of printing
};

/// A program of the group that has ended.
struct ended_child {
  pid_t process = 0;      ///< the id that it had
  child_outcome outcome;  ///< how it ended
};

/// There is one at a time: orphans of what it started become children of this process, and are ended with the
/// last that runs; those of the learner's own programs stay (learners_program.h). A program of the group dies
/// with this process, also when that is killed.
class child_group {
 public:
  child_group();
  /// Ends all of them.
  ~child_group();
  child_group(const child_group&) = delete;
  child_group& operator=(const child_group&) = delete;

  /// Starts command[0] in that folder with that signal mask, without a shell and without input. Throws
  /// cannot_do when it cannot be started.
  pid_t start(const std::vector<std::string>& command, const std::filesystem::path& folder,
              const sigset_t& mask);
  /// Ends one of them with its process group; returns when it is gone.
  void end(pid_t child);

  std::size_t size() const { return running_.size(); }
  /// Adds the descriptors that become readable when one of them prints.
  void add_outputs(std::vector<pollfd>& watched) const;
  /// Whether one has closed its output, and so is about to end.
  bool is_one_silent() const;
  /// Reads what they have printed, without waiting.
  void take_output();
  /// Takes out those that have ended.
  std::vector<ended_child> take_ended();

 private:
  struct running_child {
    pid_t process = 0;
    int output = -1;  ///< our end of its pipe, -1 once that is closed
    child_outcome outcome;

    void close_output();
    void take_output();
    void take_the_rest();
  };

  std::vector<running_child> running_;
};

/// The processes that a process has started and that still run.
std::vector<pid_t> children_of(pid_t process);

/// The names of the programs that a process has started and that still run, for showing what it is at.
std::vector<std::string> children_names(pid_t process);

}  // namespace runner
