// files.h: whole files as text, and folders that vanish.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace processes {

/// The content of the file; nothing when it cannot be read.
std::optional<std::string> content_of(const std::filesystem::path& file);

/// The content of a file that must be there. Throws std::runtime_error with its name when it cannot be read.
std::string read_whole(const std::filesystem::path& file);

/// Replaces the file so that a reader sees the old content or the new one. Makes its folder when that is
/// missing. Throws cannot_do.
void write_whole(const std::filesystem::path& file, std::string_view content);

/// A new folder for one run, removed with all it holds.
class temporary_folder {
 public:
  /// Throws cannot_do.
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A program in the same folder as the running one.
std::filesystem::path sibling_program(const std::string& name);

}  // namespace processes
