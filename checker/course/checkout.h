// checkout.h: one checkout of the course: its lessons and its programs.
//
// Not here: what the learner has done (runner/learner/state.h).
//
//     const course::checkout checkout = course::checkout::open();
//     const course::lesson& lesson = checkout.find("3");   // or 03, async_copy, 03_async_copy
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.h"

namespace course {

/// One checkout. It is read once, when it is opened.
class checkout {
 public:
  /// The checkout that this program was built in, or STREAMLINGS_ROOT. Throws cannot_do when it holds no lessons.
  static checkout open();

  const std::filesystem::path& root() const { return root_; }
  /// In order of number; never empty.
  const std::vector<lesson>& lessons() const { return lessons_; }

  /// The lesson of that number, slug, folder or file; throws cannot_do with the list of lessons.
  const lesson& find(std::string_view name) const;

  /// The learner's own things: .streamlings/
  std::filesystem::path state_folder() const { return root_ / ".streamlings"; }
  /// The folder that CMake built in.
  std::filesystem::path build_folder() const { return programs_.parent_path(); }

  /// A program beside this one; in ROOT/build/bin when STREAMLINGS_ROOT is set. Throws cannot_do when it is
  /// not built.
  std::filesystem::path program(const std::string& name) const;
  /// The profile of that short name, or that file. Throws cannot_do with the names there are.
  std::filesystem::path profile(const std::string& name_or_file) const;
  /// The path relative to the checkout when it lies inside, else as it is.
  std::string relative_path(const std::filesystem::path& file) const;
  /// The text with every path inside the checkout relative to it.
  std::string with_relative_paths(std::string text) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path programs_;
  std::vector<lesson> lessons_;
};

/// The path relative to the checkout when it lies inside, else as it is.
std::string relative_path(const std::filesystem::path& checkout, const std::filesystem::path& file);

}  // namespace course
