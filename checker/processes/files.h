// files.h: whole files as text, folders that vanish, and where the program lies.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/descriptor.h"

namespace processes {

/// The content of the file; nothing when it cannot be read.
std::optional<std::string> content_of(const std::filesystem::path& file);

/// Why a file that must be text cannot be read, as a sentence about it, such as "is a folder, not a file."; "" when it can.
std::string problem_of_text(const std::filesystem::path& file);

/// The paths in a list that a compiler wrote with -MD.
std::vector<std::filesystem::path> files_in_list(std::string_view list);

/// The content of a file that must be there. Throws std::runtime_error with its name when it cannot be read.
std::string read_whole(const std::filesystem::path& file);

/// Replaces the file so that a reader sees the old content or the new one. Makes its folder when that is
/// missing. Throws cannot_do.
void write_whole(const std::filesystem::path& file, std::string_view content);

/// Writes a file that the user named, as a redirection of a shell does: follows links, writes through devices and FIFOs, and
/// makes no folder. Throws cannot_do with the reason.
void write_output(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);
void write_output(const std::filesystem::path& file, std::string_view content);

/// Throws cannot_do when something that was printed did not reach standard output: its disk is full, or it is closed.
void require_written_output();

/// The system's words about a problem with a file, without the names of functions, and what to do, where that is known.
std::string plain_words(const std::filesystem::filesystem_error& problem);

/// A new folder for one run, removed with all it holds. Folders of processes that were killed are removed too.
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
  /// Holds a lock, so that others know that it is in use.
  descriptor lock_;
};

/// A file in memory with that content, to be read from its beginning. Throws std::system_error.
descriptor memory_file(std::string_view content);

/// The running program.
std::filesystem::path own_program();

/// A program in the same folder as the running one.
std::filesystem::path sibling_program(const std::string& name);

}  // namespace processes
