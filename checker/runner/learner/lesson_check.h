// lesson_check.h: runs the check of a lesson, and finds the records of earlier checks.
//
// The judging is done by the check program (bin/streamlings-check). Not here: what is printed (check.cpp).
//
//     const report::result result = runner::check_lesson(checkout, lesson, {});
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "course/record.h"
#include "parsing/command_line.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/result.h"
#include "trace/recording.h"

namespace runner {

/// Of a check program that cannot keep its own limit, which is 120 s, because it was stopped.
inline constexpr std::chrono::seconds limit_of_check{150};

/// The words of the option --backend.
inline const parsing::meanings<trace::backend> backend_words{{"virtual", trace::backend::virtual_gpu},
                                                             {"gpu", trace::backend::gpu}};

/// How a lesson is checked.
struct check_options {
  course::record_subject subject;
  /// Judged in the place of the file that the subject names; "": that one.
  std::filesystem::path file = {};
  /// Of the inputs; absent: random.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// Of the .cu file; "": the one chosen at configure time.
  std::string compiler = "";
  /// As streamlings-check has it; "": the best.
  std::string isolation = "";
  /// Also keeps the recordings of the other schedules, as course::recording_file_of() names them.
  bool keep_schedules = false;
  /// An empty folder for the record of another file; "": its record does not stay.
  std::filesystem::path record = {};
};

/// Runs the check program, with a progress line on a terminal's standard error. A learner's file that passes
/// on the virtual GPU is noted as done, and its lesson becomes the current one; not so another file. Throws cannot_do
/// without a record.
report::result check_lesson(const course::checkout& checkout, const course::lesson& lesson,
                            const check_options& options);

/// True for the learner's file on the virtual GPU, whose record decides whether a lesson is done.
bool is_of_learner(const check_options& options);

/// One run of the check program. Its record stays in the checkout; that of another file, and any where the checkout cannot be
/// written to, is gone with this object.
class check_job {
 public:
  /// Makes the folder of the record. Throws cannot_do when there is room for none, for a profile together with a real GPU,
  /// and for another file that is no .cu file.
  check_job(const course::checkout& checkout, const course::lesson& lesson, const check_options& options);

  const std::vector<std::string>& command() const { return command_; }
  /// Why the record does not stay, in a sentence; "" when it does, or need not.
  const std::string& why_not_kept() const { return why_not_kept_; }
  /// The record that the ended command left. Throws cannot_do when there is none.
  report::result result(const processes::outcome& done) const;

 private:
  std::string two_digits_;
  std::filesystem::path record_;
  std::unique_ptr<processes::temporary_folder> passing_;
  std::string why_not_kept_;
  std::vector<std::string> command_;
};

/// Of a run whose work may be missing or in no order, so that its times mean little: what is wrong with it, and what to type. "" of others.
std::string doubt_about(const course::lesson& lesson, const report::result& result);

/// Makes the folder of a record. Returns why none can be written there, in a sentence, or "".
std::string problem_of_record(const std::filesystem::path& record);

/// Tells on standard error that the record of a check does not stay.
void say_not_kept(const check_job& job);

/// The phase of a running check, from its child processes: "starting", "compiling", "running", "judging".
class check_phase {
 public:
  /// The phase now. Use one object per check: "judging" is told from "starting" by the earlier calls.
  std::string update(pid_t check);
  /// What update() said last; "" before.
  const std::string& latest() const { return latest_; }

 private:
  bool has_begun_ = false;
  std::string latest_;
};

/// The record of the last check; nothing when it is missing or unreadable.
std::optional<report::result> last_result(const course::lesson& lesson,
                                          const course::record_subject& subject);

/// The record of the file as it is now; checks again when the last check is older or left no recording.
/// Throws as check_lesson() does.
report::result fresh_result(const course::checkout& checkout, const course::lesson& lesson,
                            const course::record_subject& subject);

/// Reads a recording. Throws cannot_do with the reason.
trace::recording load_recording(const std::filesystem::path& file);

/// The recording of that record. Throws cannot_do.
trace::recording recording_of(const course::lesson& lesson, const course::record_subject& subject,
                              const report::result& result);

/// True when neither the checked file nor the lesson has changed since the record.
bool is_fresh(const course::lesson& lesson, const std::filesystem::path& file, const report::result& record);

}  // namespace runner
