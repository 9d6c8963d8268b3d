// file_watch.h: detects that the content of a file has changed.
//
// Uses inotify on the folder, since editors save by renaming, and polling, since inotify reports nothing on
// network folders, in some containers and on mounts of WSL2. Saving the same content is no change.
//
//     runner::file_watch watch(lesson.source(), runner::notification::from_kernel);
//     poll(... watch.descriptor(), 500 ms ...);
//     if (watch.has_changed()) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace runner {

/// Use inotify, or polling only.
enum class notification { from_kernel, none };

/// Watches from its construction. The file need not exist.
class file_watch {
 public:
  file_watch(std::filesystem::path file, notification wanted);
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

  /// Becomes readable when a file of the folder was saved; -1 without inotify.
  int descriptor() const { return descriptor_; }
  /// True when the content differs from that at the last call (at first: at construction). A deleted file has
  /// changed. Reads the file only when its metadata differ.
  bool has_changed();

 private:
  /// The metadata that change when a file is written.
  struct appearance {
    std::int64_t modified_nanoseconds = 0;
    std::int64_t size = -1;  ///< -1: no file
    std::uint64_t number = 0;
    bool operator==(const appearance&) const = default;
  };
  appearance look() const;
  std::string content() const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  appearance last_;
  std::string last_content_;
};

}  // namespace runner
