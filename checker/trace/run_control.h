// run_control.h: what the program that started a program on a backend asks of the backend.
//
// The exercise program's half of the channel sets it before any code of the learner runs. A program that was started alone
// has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// How the blocks of a kernel are shared among processes.
struct block_sharing {
  /// At most; 1: not shared.
  std::uint32_t processes = 1;
  /// Work from which blocks are given to another process, by the machine's clock; 0: whatever that costs. Chosen: a process
  /// costs about a millisecond.
  nanoseconds min_part{8'000'000};
  /// A file to which each launch adds a line: kernel, "parallel" or "in order", why not. "": none.
  std::string log{};
};

/// What CUDA's own variables ask of a run.
/// @see https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
struct cuda_variables {
  std::uint32_t work_queues = 0;  ///< CUDA_DEVICE_MAX_CONNECTIONS; 0: not set, or no number that it can be
  bool launches_block = false;    ///< CUDA_LAUNCH_BLOCKING
};

/// Those of this process.
cuda_variables cuda_variables_here();

/// Settings of the virtual GPU for one run.
struct backend_settings {
  /// A file; "": the default.
  std::string profile;
  schedule_kind schedule = schedule_kind::as_is;
  /// 1 to 64.
  std::uint32_t devices = 1;
  /// 0: no limit.
  nanoseconds virtual_time_limit{0};
  block_sharing sharing{};
  /// By run_control::report_progress.
  bool reports_progress = false;
  /// Absent: those of the program, which may set them before it uses CUDA.
  std::optional<cuda_variables> variables{};
};

/// How far a run has come.
struct progress {
  nanoseconds simulated{0};
  std::string kernel{};           ///< the one that runs, or ran last
  std::uint64_t blocks_done = 0;  ///< of it
  std::uint64_t blocks = 0;       ///< of it
};

/// How many cores a program or a check may use: what the variable STREAMLINGS_THREADS says, else all; at least 1.
std::uint32_t usable_cores();
/// Divides them among so many programs at once that this one starts: sets the variable for each of them.
void share_cores(std::size_t programs);
/// What one of so many programs on the virtual GPU may use. STREAMLINGS_MIN_PART_NS is for tests; STREAMLINGS_SHARING_LOG is the log.
block_sharing sharing_for(std::size_t programs);

/// Ends the process because the run cannot go on: `kind` is a stable word, `sentence` is for people.
/// Kinds: "virtual_time_limit"; "fault" (ends as a segmentation fault, as on hardware); "signal 6" (ends by that signal) and
/// "cpu_time_limit", both without a sentence; "could_not_start" (the backend, so there is no recording); "lesson_broken" (our
/// own mistake).
using fatal_handler = void (*)(std::string_view kind, std::string_view sentence);

/// What the program that was started by a runner tells the backend.
struct run_control {
  backend_settings settings;
  fatal_handler end_run = nullptr;
  void (*report_progress)(const progress&) = nullptr;  ///< nullptr: nobody asks
};

/// Called once, before the backend begins.
void set_run_control(run_control control);

/// nullptr in a program that was started alone.
const run_control* current_run_control();

}  // namespace trace
