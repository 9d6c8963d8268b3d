// record.h: the folder in which one check leaves its program, its recording and its result.
//
//     const course::record record{lesson, {.backend = trace::backend::gpu}};
//     course::record_lock lock(folder);   // waits until nobody else uses the folder
#pragma once

#include <filesystem>
#include <string>

#include "course/lesson.h"
#include "processes/descriptor.h"
#include "trace/backend.h"

namespace course {

/// The files in the folder of a record.
inline std::filesystem::path result_file_of(const std::filesystem::path& record) {
  return record / "result.json";
}
/// The report for people.
inline std::filesystem::path report_file_of(const std::filesystem::path& record) {
  return record / "report.txt";
}
/// The recording of the run that the report is about.
inline std::filesystem::path recording_file_of(const std::filesystem::path& record) {
  return record / "recording.jsonl";
}
/// The recording of the run under that schedule, "slow-copies", where it was kept.
inline std::filesystem::path recording_file_of(const std::filesystem::path& record,
                                               const std::string& schedule) {
  return record / ("recording-" + schedule + ".jsonl");
}
/// Of an answer that declares what it fails: whether it did (checking/expectation.h).
inline std::filesystem::path expectation_file_of(const std::filesystem::path& record) {
  return record / "expectation.json";
}

/// Which file of a lesson is checked.
enum class whose_file { learner, solution };

/// What a record of a checkout is about.
struct record_subject {
  whose_file whose = whose_file::learner;
  trace::backend backend = trace::backend::virtual_gpu;
  /// Short name or file of a profile; "" for the usual one.
  std::string profile = "";
};

/// The file that is checked.
std::filesystem::path checked_file(const lesson& lesson, whose_file whose);

/// .streamlings/records/03, 03-solution, 03-gpu or 03-solution-gpu. Each virtual GPU but the usual one has its own
/// (03-h200), so that looking at one takes nothing away.
std::filesystem::path record_folder(const lesson& lesson, const record_subject& subject);

/// Makes the folder and holds its lock while it lives, so that two checks of the same file do not mix.
class record_lock {
 public:
  /// Waits for the lock. Throws std::filesystem::filesystem_error or std::system_error when the folder cannot
  /// be made or written to.
  explicit record_lock(const std::filesystem::path& record);

 private:
  processes::descriptor file_;
};

}  // namespace course
