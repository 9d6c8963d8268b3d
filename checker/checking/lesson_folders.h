// lesson_folders.h: where the files of one lesson and the programs beside this one are.
//
//     checking::lesson_folders lesson("/checkout", "03_async_copy");
//     lesson.number();      // 3
//     lesson.drive();       // /checkout/checker/lessons/03_async_copy/drive.cpp
#pragma once

#include <filesystem>
#include <string>

namespace checking {

/// The folders of one lesson in one checkout. Only title() looks into files.
class lesson_folders {
 public:
  /// `folder` is NN_slug. Throws std::invalid_argument when it is not.
  lesson_folders(std::filesystem::path checkout, std::string folder);

  /// Its place in the course: 3 of "03_async_copy".
  int number() const;
  /// Its name without the number: "async_copy".
  std::string slug() const;
  /// The first heading of the lesson's README.md; the slug when there is none.
  std::string title() const;

  /// The root of the course.
  const std::filesystem::path& checkout() const { return checkout_; }
  /// The folder with the contract and the learner's file.
  std::filesystem::path contract() const { return checkout_ / "lessons" / folder_; }
  /// The folder with check.cpp, drive.cpp, the skeleton and the answers.
  std::filesystem::path checks() const { return checkout_ / "checker" / "lessons" / folder_; }
  /// The file that feeds the contract from a request.
  std::filesystem::path drive() const { return checks() / "drive.cpp"; }
  /// The root of includes.
  std::filesystem::path checker() const { return checkout_ / "checker"; }
  /// The folder with the profiles of GPUs.
  std::filesystem::path profiles() const { return checkout_ / "checker" / "device" / "profiles"; }
  /// The profile of that short name, or that file. Throws std::runtime_error when there is none.
  std::filesystem::path profile(const std::string& name_or_file) const;

  /// The path relative to the checkout when it lies inside, else as it is.
  std::string shown(const std::filesystem::path& file) const;

 private:
  std::filesystem::path checkout_;
  std::string folder_;
};

/// A program in the same folder as the running one.
std::filesystem::path sibling_program(const std::string& name);

/// The content of a file; throws std::runtime_error with its name when it cannot be read.
std::string content_of(const std::filesystem::path& file);

}  // namespace checking
