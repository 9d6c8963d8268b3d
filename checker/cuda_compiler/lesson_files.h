// lesson_files.h: what the one file of a lesson may not read: files of others, such as the solution.
//
// Judged by the compiler's own list of what it read, with symbolic links followed, and by the words that read files without
// being in that list. Not here: which folders a lesson may read (checking/).
//
//     if (const auto found = foreign_file_in(file, preprocessed, list, allowed)) refuse(found->line, found->sentence);
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_compiler {

/// A line of the file that reads, or asks for, what it may not.
struct foreign_file {
  int line = 0;  ///< 0: not known
  std::string sentence;
};

/// The folders that the compiler searches by itself, from what it prints with -v.
std::vector<std::filesystem::path> system_folders_in(std::string_view verbose_output);

/// The first of `read` that lies, with links followed, in none of the allowed files and folders; nullopt: none.
std::optional<std::filesystem::path> first_foreign(const std::vector<std::filesystem::path>& read,
                                                   const std::vector<std::filesystem::path>& allowed);

/// The line of `file` that includes that path, by the line markers of the preprocessed text; 0: not known.
int line_of_include(std::string_view preprocessed, const std::filesystem::path& file,
                    const std::filesystem::path& path);

/// Words in the source that read files, or ask for them, past the list: __has_include of a path, .incbin in assembly.
std::optional<foreign_file> find_hidden_reading(std::string_view source, std::string_view preprocessed,
                                                const std::filesystem::path& file);

}  // namespace cuda_compiler
