// course.h: where the lessons, their files and the programs of this checkout are.
//
// Not here: what the learner has done (state.h).
//
//     const runner::course course = runner::course::open();
//     const runner::lesson& lesson = course.find("3");   // or 03, async_copy, 03_async_copy
//     course.source_of(lesson);                          // ROOT/lessons/03_async_copy/async_copy.cu
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// What names a lesson.
struct lesson {
  int number = 0;      ///< from 1, in the order of the course
  std::string slug;    ///< "async_copy"
  std::string folder;  ///< "03_async_copy"
  std::string title;   ///< first heading of its README.md without "Lesson 03:"; the slug when there is none
  /// "03"
  std::string two_digits() const;
};

/// One checkout. It is read once, when it is opened.
class course {
 public:
  /// The checkout that this program was built in, or STREAMLINGS_ROOT. Throws cannot_do when it holds no
  /// lessons.
  static course open();

  /// The folder of the checkout.
  const std::filesystem::path& root() const { return root_; }
  /// In order of number; never empty.
  const std::vector<lesson>& lessons() const { return lessons_; }

  /// The lesson of that number, slug, folder or file; throws cannot_do with the list of lessons.
  const lesson& find(std::string_view name) const;

  /// The learner's file. None of these files has to exist.
  std::filesystem::path source_of(const lesson& of) const;
  /// The solution of the course.
  std::filesystem::path solution_of(const lesson& of) const;
  /// The learner's file as it comes.
  std::filesystem::path skeleton_of(const lesson& of) const;
  /// The hints, hints.md.
  std::filesystem::path hints_of(const lesson& of) const;
  /// The learner's own things: .streamlings/
  std::filesystem::path state_folder() const { return root_ / ".streamlings"; }
  /// Where the profiles that come with the course are.
  std::filesystem::path profiles_folder() const { return root_ / "checker" / "device" / "profiles"; }

  /// A program beside this one; in ROOT/build/bin when STREAMLINGS_ROOT is set. Throws cannot_do when it is
  /// not built.
  std::filesystem::path program(const std::string& name) const;
  /// The profile of that short name, or that file. Throws cannot_do with the names there are.
  std::filesystem::path profile(const std::string& name_or_file) const;
  /// The short names of all profiles, sorted.
  std::vector<std::string> profile_names() const;
  /// The path relative to the checkout when it lies inside, else as it is.
  std::string shown(const std::filesystem::path& file) const;
  /// The text with every path inside the checkout relative to it.
  std::string with_short_paths(std::string text) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path programs_;
  std::vector<lesson> lessons_;
};

}  // namespace runner
