// special_include.h: an #include of something that is no regular file: a pipe, a terminal, a device. To read it may
// never end.
//
// By the words of the source, before the compiler opens anything. A name made by a macro is not found: then the time limit
// of the compilation ends it (compile.h).
//
//     if (const auto found = find_special_include("a.cu", {"include"})) refuse(found->file, found->line);
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cuda_compiler {

/// An #include of something that is no regular file, and where it stands.
struct special_include {
  std::filesystem::path includer;
  int line = 0;
  std::filesystem::path file;
};

/// The first in the source, or in the headers in its folder and in `folders` that it includes.
std::optional<special_include> find_special_include(const std::filesystem::path& source,
                                                    const std::vector<std::string>& folders);

}  // namespace cuda_compiler
