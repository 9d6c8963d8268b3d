// child_group.h: programs of ours that run beside us, and of which nothing is left behind.
//
// Not here: waiting for them (child_process.h for verbs that do nothing else meanwhile, runner/watch/watch.cpp).
//
//     processes::child_group checks;
//     const pid_t check = checks.start({"build/bin/streamlings-check", "03_async_copy", "run", ...}, root);
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/descriptor.h"
#include "processes/outcome.h"

namespace processes {

/// A program of the group that has ended, and the id that it had.
struct ended_child {
  pid_t process = 0;
  outcome result;
};

/// There is one at a time: orphans of what it started become children of this process, and are ended with the
/// last that runs; those of independent programs stay (start.h). A program of the group dies with this process,
/// also when that is killed.
class child_group {
 public:
  child_group();
  /// Ends all of them.
  ~child_group();
  child_group(const child_group&) = delete;
  child_group& operator=(const child_group&) = delete;

  /// Starts command[0] in that folder without input; take_ended() kills it after the limit, when it is not 0. Throws
  /// cannot_do when it cannot be started.
  pid_t start(const std::vector<std::string>& command, const std::filesystem::path& folder,
              std::chrono::milliseconds limit = {});
  /// Ends one of them with its process group; returns when it is gone.
  void end(pid_t child);

  std::size_t size() const { return running_.size(); }
  /// What one of them has printed, as far as take_output() has read it.
  std::string_view output_of(pid_t child) const;
  /// Adds the descriptors that become readable when one of them prints.
  void add_outputs(std::vector<pollfd>& watched) const;
  /// Whether one has closed its output, and so is about to end.
  bool is_one_silent() const;
  /// Reads what they have printed, without waiting.
  void take_output();
  /// Takes out those that have ended, or are over their limit.
  std::vector<ended_child> take_ended();

 private:
  struct running_child {
    pid_t process = 0;
    /// Our end of its pipe; closed at the end of its output.
    descriptor output;
    std::string text;
    std::optional<std::chrono::steady_clock::time_point> deadline;

    void take_output();
    void take_the_rest();
  };

  std::vector<running_child> running_;
};

}  // namespace processes
