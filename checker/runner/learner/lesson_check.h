// lesson_check.h: has one file of a lesson checked, and finds the records of earlier checks.
//
// The judging is done by the check program (bin/streamlings-check). Not here: what is printed (check.cpp).
//
//     const report::result result = runner::check_lesson(checkout, lesson, {});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "course/record.h"
#include "parsing/command_line.h"
#include "processes/child_process.h"
#include "report/result.h"
#include "trace/recording.h"

namespace runner {

/// The words of the option --backend.
inline const parsing::meanings<trace::backend> backend_words{{"virtual", trace::backend::virtual_gpu},
                                                             {"gpu", trace::backend::gpu}};

/// How a lesson is checked.
struct check_options {
  course::record_subject subject;
  /// Of the inputs; absent: a fresh one.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// Of the .cu file; "" for the one of the build.
  std::string compiler = "";
};

/// Runs the check program, showing on a terminal's standard error what it is at. A learner's file that passes
/// on the virtual GPU is noted as done, and its lesson becomes the current one. Throws cannot_do when no
/// record was written.
report::result check_lesson(const course::checkout& checkout, const course::lesson& lesson,
                            const check_options& options);

/// Whether it is the record that decides if a lesson is done: of the learner's file on the virtual GPU.
bool is_of_learner(const course::record_subject& subject);

/// The command of that check, for whoever runs it themselves. Makes the folder of the record. Throws
/// cannot_do when it cannot be made, and when a profile is asked of a GPU that is there.
std::vector<std::string> check_command(const course::checkout& checkout, const course::lesson& lesson,
                                       const check_options& options);

/// What a running check program is at, from what it has started: "starting", "compiling", "running", "judging".
class check_phase {
 public:
  /// What the process is at now; ask the same object again and again about one check.
  std::string update(pid_t check);

 private:
  bool has_begun_ = false;
};

/// The record that an ended check command left. Throws cannot_do when there is none.
report::result result_of_check(const course::lesson& lesson, const check_options& options,
                               const processes::outcome& done);

/// The record of the last check; nothing when there is none or it cannot be read.
std::optional<report::result> last_result(const course::lesson& lesson,
                                          const course::record_subject& subject);

/// The record of the file as it is now, from a new check when the last one is older or left no recording. Throws
/// cannot_do as check_lesson() does.
report::result fresh_result(const course::checkout& checkout, const course::lesson& lesson,
                            const course::record_subject& subject);

/// Reads a recording. Throws cannot_do with the reason when that fails.
trace::recording load_recording(const std::filesystem::path& file);

/// The recording that belongs to the record. Throws cannot_do when it cannot be read.
trace::recording recording_of(const course::lesson& lesson, const course::record_subject& subject,
                              const report::result& result);

/// Whether the record is of the file and of the lesson as they are now.
bool is_fresh(const course::lesson& lesson, course::whose_file whose, const report::result& record);

}  // namespace runner
