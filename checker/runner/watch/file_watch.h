// file_watch.h: notices that the content of one file has changed, however it was saved.
//
// By inotify on its folder, since editors save by renaming; and by looking at the file now and then, since
// inotify tells nothing on network folders, some containers and mounts of WSL2. Either way the content
// decides, so saving without a change is none.
//
//     runner::file_watch watch(lesson.source(), runner::notification::from_kernel);
//     poll(... watch.descriptor(), 500 ms ...);
//     if (watch.has_changed()) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace runner {

/// Whether to ask inotify, or only to look now and then.
enum class notification { from_kernel, none };

/// Watches from its construction on. The file need not exist.
class file_watch {
 public:
  file_watch(std::filesystem::path file, notification wanted);
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

  /// Becomes readable when something in the folder was saved; -1 when the kernel will not tell.
  int descriptor() const { return descriptor_; }
  /// Whether the content is another than at the last call (at first: than at the beginning). A file that is
  /// gone has changed. Reads the file only when it looks different.
  bool has_changed();

 private:
  /// What tells without reading that a file was written.
  struct appearance {
    std::int64_t modified_nanoseconds = 0;
    std::int64_t size = -1;  ///< -1 when it is not there
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
