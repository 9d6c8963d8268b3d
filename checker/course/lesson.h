// lesson.h: what names a lesson, and where its files are. None of the files has to exist.
//
//     const course::lesson lesson = course::lesson_of("/checkout", "03_async_copy");
//     lesson.number;     // 3
//     lesson.source();   // /checkout/lessons/03_async_copy/async_copy.cu
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course {

/// A lesson of a checkout.
struct lesson {
  /// The root of the course.
  std::filesystem::path checkout;
  /// From 1, in the order of the course.
  int number = 0;
  /// "async_copy"
  std::string slug;
  /// "03_async_copy"
  std::string folder;
  /// First heading of its README.md without "Lesson 03:"; the slug when there is none.
  std::string title;
  /// Numbers of the lessons that it builds on, from the line "**Needs.** [lesson 04](...) and ...; about 60 minutes." of its
  /// README.md.
  std::vector<int> needs;
  /// How long it takes, of the same line; 0: not said.
  int minutes = 0;

  /// "03"
  std::string two_digits() const;
  /// The folder with the contract and the learner's file.
  std::filesystem::path contract() const { return checkout / "lessons" / folder; }
  std::filesystem::path page() const { return contract() / "README.md"; }
  /// The learner's file.
  std::filesystem::path source() const { return contract() / (slug + ".cu"); }
  std::filesystem::path solution() const { return checkout / "solutions" / folder / (slug + ".cu"); }
  /// The folder with check.cpp, drive.cpp, the skeleton and the answers.
  std::filesystem::path checks() const { return checkout / "checker" / "lessons" / folder; }
  /// The file that feeds the contract from a request.
  std::filesystem::path drive() const { return checks() / "drive.cpp"; }
  /// The learner's file as it comes.
  std::filesystem::path skeleton() const { return checks() / "skeleton.cu"; }
  std::filesystem::path hints() const { return checks() / "hints.md"; }
  /// A hash of what the lesson asks: of its contract (*.h), check.cpp and drive.cpp. A missing file counts as empty.
  std::string hash() const;
};

/// The lesson in that folder, NN_slug. Throws std::invalid_argument when it is named otherwise.
lesson lesson_of(const std::filesystem::path& checkout, const std::string& folder);

/// All lessons of a checkout, in order of number.
std::vector<lesson> lessons_of(const std::filesystem::path& checkout);

}  // namespace course
