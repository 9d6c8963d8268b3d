// record_lock.h: the folder in which one check leaves its program, its recording and its result.
//
//     checking::record_lock lock(record);   // waits until nobody else uses the folder
//     report::save(checking::result_file_of(record), result);
#pragma once

#include <filesystem>

namespace checking {

/// The result record in the folder of a check.
inline std::filesystem::path result_file_of(const std::filesystem::path& record) {
  return record / "result.json";
}
/// The report for people in it.
inline std::filesystem::path report_file_of(const std::filesystem::path& record) {
  return record / "report.txt";
}
/// The recording in it.
inline std::filesystem::path recording_file_of(const std::filesystem::path& record) {
  return record / "recording.jsonl";
}

/// Makes the folder and holds its lock while it lives, so that two checks of the same file do not mix.
class record_lock {
 public:
  /// Waits for the lock. Throws std::filesystem::filesystem_error or std::system_error when the folder cannot
  /// be made or written to.
  explicit record_lock(const std::filesystem::path& record);
  ~record_lock();
  record_lock(const record_lock&) = delete;
  record_lock& operator=(const record_lock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace checking
