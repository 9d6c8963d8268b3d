// sandbox.h: starts a program that sees nothing of the machine but the files it is given, by bubblewrap, or where that does not
// work by Landlock, and a filter of system calls.
//
// Not here: its limits of time (start.h, guardian.h).
//
//     processes::start_options program{.arguments = {"build/lesson03"}, .environment = variables};
//     const processes::sandbox sandbox(program, {.readable = {"build/lesson03"}});
//     processes::guardian watch(program);   // its outcome: sandbox::outcome_inside()
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/control_group.h"
#include "processes/descriptor.h"
#include "processes/files.h"
#include "processes/landlock.h"
#include "processes/outcome.h"
#include "processes/start.h"

namespace processes {

/// How far a program is kept from the machine, least first.
enum class isolation { none, landlock_seccomp, bwrap_seccomp, bwrap_cgroup_seccomp };

/// "none", "landlock+seccomp", "bwrap+seccomp", "bwrap+cgroup+seccomp"
std::string_view word_of(isolation level);

/// What this machine allows.
struct isolation_probe {
  isolation best = isolation::none;
  /// Why there is no higher level, in a sentence; "" at the highest.
  std::string why_no_more;
};

/// Tries the levels with a program that does nothing; once in a process.
const isolation_probe& probed_isolation();

/// What there is inside, beside the system's libraries and programs (/usr), /proc, /dev and an empty /tmp, where the program
/// begins. What root starts runs as nobody.
///
/// By Landlock the rest of the machine is there, and cannot be read: the program begins in a folder of its own below that for
/// temporary files, what root starts runs as a user of a number of its own, and the files must be readable for that user.
struct sandbox_contents {
  /// Files, at their own paths, that can be read and executed.
  std::vector<std::filesystem::path> readable = {};
  /// Folders that are empty but for what is readable, in case they lie below /usr.
  std::vector<std::filesystem::path> hidden = {};
  /// Of /tmp.
  std::size_t temporary_bytes = std::size_t{64} << 20;
};

/// Lives until the program has ended.
class sandbox {
 public:
  /// Changes what is started: the program runs without network, other processes, privileges and environment, but for that of
  /// `program.environment`; on the highest level also with limits of memory and processes. Throws std::system_error when this
  /// process is out of resources.
  sandbox(start_options& program, const sandbox_contents& contents,
          isolation level = probed_isolation().best);

  /// The kernel has ended one of its processes. Known on the highest level.
  bool has_run_out_of_memory() const { return group_ && group_->has_run_out_of_memory(); }

  /// The outcome of the program, from that of the sandbox, whose exit status is 128 + signal when a signal ended it. A program
  /// may exit with such a status itself: no verdict depends on it.
  static outcome outcome_inside(outcome ended);

 private:
  void enclose_by_bubblewrap(start_options& program, const sandbox_contents& contents);
  void enclose_by_landlock(start_options& program, const sandbox_contents& contents);

  std::vector<descriptor> passed_;
  std::optional<control_group> group_;
  std::optional<temporary_folder> folder_;
  std::optional<landlock_rules> rules_;
};

}  // namespace processes
