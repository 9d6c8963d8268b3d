// lesson_check.h: has one file of a lesson checked, and finds the records of earlier checks.
//
// The judging is done by the check program (bin/streamlings-check). Not here: what is printed (check.cpp).
//
//     const report::result seen = runner::check_lesson(course, lesson, {});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parsing/command_line.h"
#include "processes/child_process.h"
#include "report/result.h"
#include "runner/course.h"
#include "trace/recording.h"

namespace runner {

/// Which file of a lesson is checked.
enum class whose_file { learner, solution };
/// What it runs on: the virtual GPU, or the GPU of this machine.
enum class backend { virtual_gpu, gpu };

/// The words of the option --backend.
inline const parsing::meanings<backend> backend_words{{"virtual", backend::virtual_gpu},
                                                      {"gpu", backend::gpu}};

/// How a lesson is checked.
struct check_options {
  whose_file whose = whose_file::learner;  ///< which file
  backend on = backend::virtual_gpu;       ///< what it runs on
  std::string profile;  ///< of the virtual GPU: short name or file; "" leaves the choice to the check program
  std::optional<std::uint64_t> seed;  ///< of the inputs; nothing: a fresh one
  std::string compiler;               ///< of the .cu file; "" for the one of the build
};

/// The file that a check of the lesson looks at.
std::filesystem::path checked_file(const course& course, const lesson& lesson, whose_file whose);

/// The folder of the record: .streamlings/records/03, 03-solution, 03-gpu or 03-solution-gpu. Each other
/// virtual GPU than the usual one has its own (03-h200), so that looking at one takes nothing away.
std::filesystem::path record_folder(const course& course, const lesson& lesson, whose_file whose, backend on,
                                    const std::string& profile = "");

/// Runs the check program, showing on a terminal's standard error what it is at. A learner's file that passes
/// on the virtual GPU is noted as done, and its lesson becomes the current one. Throws cannot_do when no
/// record was written.
report::result check_lesson(const course& course, const lesson& lesson, const check_options& options);

/// The command of that check, for whoever runs it themselves. Makes the folder of the record. Throws
/// cannot_do when it cannot be made, and when a profile is asked of a GPU that is there.
std::vector<std::string> check_command(const course& course, const lesson& lesson,
                                       const check_options& options);

/// What a running check program is at, from what it has started: "starting", "compiling", "running",
/// "judging".
class check_phase {
 public:
  /// What the process is at now; ask the same object again and again about one check.
  std::string of(pid_t check);

 private:
  bool has_begun_ = false;
};

/// The record that an ended check command left. Throws cannot_do when there is none.
report::result result_of_check(const course& course, const lesson& lesson, const check_options& options,
                               const processes::outcome& done);

/// The record of the last check; nothing when there is none or it cannot be read.
std::optional<report::result> last_result(const course& course, const lesson& lesson, whose_file whose,
                                          backend on, const std::string& profile = "");

/// The record of the file as it is now on that virtual GPU ("": the usual one), from a new check when the
/// last one is older or left no recording. Throws cannot_do as check_lesson() does.
report::result fresh_result(const course& course, const lesson& lesson, whose_file whose, backend on,
                            const std::string& profile = "");

/// Reads a recording. Throws cannot_do with the reason when that fails.
trace::recording load_recording(const std::filesystem::path& file);

/// The recording that belongs to the record. Throws cannot_do when it cannot be read.
trace::recording recording_of(const course& course, const lesson& lesson, whose_file whose, backend on,
                              const report::result& result, const std::string& profile = "");

/// Whether the record speaks of the file and of the lesson as they are now.
bool is_fresh(const course& course, const lesson& lesson, whose_file whose, const report::result& record);

}  // namespace runner
