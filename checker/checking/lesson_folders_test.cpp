#include "checking/lesson_folders.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace checking {
namespace {

namespace fs = std::filesystem;

TEST(LessonFolders, NumberAndSlugComeFromTheFolder) {
  const lesson_folders lesson("/course", "03_async_copy");
  EXPECT_EQ(lesson.number(), 3);
  EXPECT_EQ(lesson.slug(), "async_copy");
  EXPECT_EQ(lesson.drive(), "/course/checker/lessons/03_async_copy/drive.cpp");
}

TEST(LessonFolders, RefusesAnotherKindOfFolder) {
  EXPECT_THROW(lesson_folders("/course", "async_copy"), std::invalid_argument);
  EXPECT_THROW(lesson_folders("/course", "03"), std::invalid_argument);
}

TEST(LessonFolders, TheTitleIsTheFirstHeadingOfTheReadme) {
  const fs::path course = fs::path(testing::TempDir()) / "streamlings_lesson_folders_test";
  fs::create_directories(course / "lessons" / "03_async_copy");
  const lesson_folders lesson(course, "03_async_copy");
  EXPECT_EQ(lesson.title(), "async_copy");
  std::ofstream(course / "lessons" / "03_async_copy" / "README.md") << "# Asynchronous copies\n\n# Other\n";
  EXPECT_EQ(lesson.title(), "Asynchronous copies");
  fs::remove_all(course);
}

TEST(LessonFolders, FilesInsideTheCourseAreShownRelativeToIt) {
  const lesson_folders lesson("/course", "03_async_copy");
  EXPECT_EQ(lesson.shown("/course/lessons/a.cu"), "lessons/a.cu");
  EXPECT_EQ(lesson.shown("/elsewhere/a.cu"), "/elsewhere/a.cu");
}

}  // namespace
}  // namespace checking
