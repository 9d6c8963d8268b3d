// lesson_folders.h: where the files of one lesson and the programs beside this one are.
//
//     harness::lesson_folders lesson("/checkout", "03_async_copy");
//     lesson.number();      // 3
//     lesson.drive();       // /checkout/checker/lessons/03_async_copy/drive.cpp
#pragma once

#include <filesystem>
#include <string>

namespace harness {

class lesson_folders {
 public:
  /// `folder` is NN_slug. Throws std::invalid_argument when it is not.
  lesson_folders(std::filesystem::path checkout, std::string folder);

  int number() const;
  std::string slug() const;
  /// The first heading of the lesson's README.md; the slug when there is none.
  std::string title() const;

  const std::filesystem::path& checkout() const { return checkout_; }
  std::filesystem::path contract() const { return checkout_ / "lessons" / folder_; }
  std::filesystem::path checks() const { return checkout_ / "checker" / "lessons" / folder_; }
  std::filesystem::path drive() const { return checks() / "drive.cpp"; }
  std::filesystem::path checker() const { return checkout_ / "checker"; }
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

}  // namespace harness
