// launch.h: the checker's half: starts an exercise program, feeds it a request, and takes what comes back.
//
// Whatever the program does (crash, hang, exit, flood, garbage), launch() returns within its limits, leaves
// no process behind, and says what happened. It does not judge. Not here: compiling the program.
//
//     exercise::outcome result = exercise::launch({.program = "build/lesson03", .requests{{request}}});
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exercise/calls.h"
#include "exercise/message.h"
#include "trace/recording.h"
#include "trace/run_control.h"

namespace exercise {

/// How a program ended.
enum class ending {
  finished,           ///< answer and recording arrived whole
  crashed,            ///< ended by a signal before the answer was whole
  ended_early,        ///< exited by itself (exit, _Exit, main returned) before the answer was whole
  timed_out,          ///< real time or CPU time limit
  virtual_timed_out,  ///< the virtual GPU's limit of virtual time, or of calls
  output_limit,       ///< printed more than allowed
  channel_damaged,    ///< something else was written into the channel
  lesson_broken,      ///< our own half failed: a name that is missing or was never read (see detail)
  could_not_start,    ///< the program could not be started (see detail)
};

/// Captured: the program has no input, and its output is kept. Inherited: it has the caller's standard streams, and gets
/// the signals that the caller gets from its terminal.
enum class program_output { captured, inherited };

/// What a program may use before it is ended.
struct launch_limits {
  std::chrono::seconds cpu_time{10};  ///< of all its threads; 0: no limit
  /// By the clock; longer than cpu_time, because a busy machine is not the program's fault.
  std::chrono::milliseconds real_time{30'000};
  std::chrono::seconds virtual_time{60};  ///< on the virtual GPU: of its time; 0: no limit
  /// The same for the program to say where it stands: to write out the recording of some million calls takes a second or two.
  std::chrono::seconds cpu_time_of_last_words{5};
  /// For the same by the clock; more than it takes itself (interposition/fatal_signals.cpp).
  std::chrono::milliseconds last_words{12'000};
  /// For the program's guardian to end it and to report; then both are killed.
  std::chrono::milliseconds grace{3'000};
  std::size_t output_bytes = 4 << 20;        ///< captured output after which the program is ended
  std::size_t kept_output_bytes = 64 << 10;  ///< of it, kept in outcome::output (the first part and the last)
};

/// What a program in a sandbox (processes/sandbox.h) finds of this machine, beside itself, its profile and the system.
struct sandbox_files {
  std::vector<std::filesystem::path> readable;  ///< files
  std::vector<std::filesystem::path> hidden;    ///< folders, in case they lie among those of the system
};

/// What drive.cpp reads in each call, encoded once for all the programs that are fed from it.
class sealed_requests {
 public:
  /// One request for each call, as calls_for() has them.
  explicit sealed_requests(const std::vector<message>& of_calls);
  /// Of sealed memory (sealed_bytes.h).
  int descriptor() const { return *descriptor_; }

 private:
  std::shared_ptr<const int> descriptor_;
};

/// What to start, and what to feed it.
struct launch_options {
  std::filesystem::path program;       ///< the exercise program
  std::vector<std::string> arguments;  ///< behind its name
  /// Absent for a program with its own main.
  std::optional<sealed_requests> requests = std::nullopt;
  /// Without virtual_time_limit, which is among the limits.
  trace::backend_settings backend;
  /// Added to the caller's, which loses its STREAMLINGS_ variables, and to LC_ALL=C.
  std::vector<std::pair<std::string, std::string>> environment;
  launch_limits limits;  ///< after which it is ended
  /// Absent: no sandbox. In one, the program has of the caller's variables only those of CUDA.
  std::optional<sandbox_files> sandbox = std::nullopt;
  /// The source files, and folders, of whoever reads about the run. The others are given to them: see
  /// trace::source_file. Without any, all are the reader's.
  std::vector<std::filesystem::path> own_sources;
  /// Called several times a second, once the program has told how far it has come.
  std::function<void(std::chrono::nanoseconds elapsed, const trace::progress& progress)> on_progress{};
  program_output output = program_output::captured;  ///< kept for the outcome, or left to the terminal
};

/// How a program ended, and what came back; behind each field for which endings it is set.
struct outcome {
  ending how = ending::could_not_start;  ///< how it ended
  int exit_status = 0;                   ///< ended_early, finished
  int signal = 0;                        ///< crashed
  std::string detail;                    ///< one plain sentence for people
  /// The library in the program has started; before, nothing of its user ran.
  bool has_begun = false;
  /// The limit of real time has ended it: a busy machine can be the reason.
  bool is_over_real_time = false;
  bool has_run_out_of_memory = false;  ///< of its sandbox
  std::map<call, message> answers;  ///< finished: of each call
  std::optional<trace::recording>
      recording;                ///< the recording, when it arrived whole (also after some crashes)
  std::string output;           ///< what the program printed, both streams, cut in the middle when long
  bool output_was_cut = false;  ///< something in the middle of `output` is missing
  std::chrono::nanoseconds real_time{0};  ///< from start to end

  /// Throws std::out_of_range when that call answered nothing.
  const message& answer(call during = call::repeated) const { return answers.at(during); }
};

/// Starts `options.program` and returns when it, and everything it started, is gone. Source lines in the
/// recording are resolved (see source_lines.h). Throws std::system_error only when this process itself is out
/// of resources.
outcome launch(const launch_options& options);

}  // namespace exercise
