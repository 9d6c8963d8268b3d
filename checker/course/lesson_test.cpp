#include "course/lesson.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "processes/files.h"

namespace course {
namespace {

TEST(Lesson, NumberAndSlugComeFromTheFolder) {
  const lesson lesson = lesson_of("/course", "03_async_copy");
  EXPECT_EQ(lesson.number, 3);
  EXPECT_EQ(lesson.two_digits(), "03");
  EXPECT_EQ(lesson.slug, "async_copy");
  EXPECT_EQ(lesson.source(), "/course/lessons/03_async_copy/async_copy.cu");
  EXPECT_EQ(lesson.drive(), "/course/checker/lessons/03_async_copy/drive.cpp");
}

TEST(Lesson, RefusesAnotherKindOfFolder) {
  EXPECT_THROW(lesson_of("/course", "async_copy"), std::invalid_argument);
  EXPECT_THROW(lesson_of("/course", "03"), std::invalid_argument);
}

TEST(Lesson, TheTitleIsTheFirstHeadingOfTheReadmeWithoutTheNumber) {
  const processes::temporary_folder root;
  EXPECT_EQ(lesson_of(root.path(), "03_async_copy").title, "async_copy");
  processes::write_whole(root.path() / "lessons/03_async_copy/README.md",
                         "# Asynchronous copies\n\n# Other\n");
  EXPECT_EQ(lesson_of(root.path(), "03_async_copy").title, "Asynchronous copies");
  processes::write_whole(root.path() / "lessons/03_async_copy/README.md", "# Lesson 03: Copies\n");
  EXPECT_EQ(lesson_of(root.path(), "03_async_copy").title, "Copies");
}

TEST(Lesson, ThePathThroughTheCourseIsALineOfTheReadme) {
  const processes::temporary_folder root;
  EXPECT_EQ(lesson_of(root.path(), "08_ring").minutes, 0);
  processes::write_whole(
      root.path() / "lessons/08_ring/README.md",
      "# Ring\n\n**Needs.** [lesson 04](../04_x/README.md) and [lesson 05](../05_y/README.md); about 60 minutes.\n"
      "\n## Predict\n\n**Needs.** [lesson 07](../07_z/README.md)\n");
  const lesson ring = lesson_of(root.path(), "08_ring");
  EXPECT_EQ(ring.needs, (std::vector<int>{4, 5}));
  EXPECT_EQ(ring.minutes, 60);
}

TEST(Lesson, TheHashChangesWithWhatTheLessonAsks) {
  const processes::temporary_folder root;
  const lesson lesson = lesson_of(root.path(), "03_async_copy");
  const std::string empty = lesson.hash();
  processes::write_whole(lesson.contract() / "async_copy.h", "void copy();");
  const std::string with_contract = lesson.hash();
  EXPECT_NE(with_contract, empty);
  processes::write_whole(lesson.source(), "void copy() {}");
  EXPECT_EQ(lesson.hash(), with_contract);
  processes::write_whole(lesson.drive(), "copy();");
  EXPECT_NE(lesson.hash(), with_contract);
}

TEST(Lesson, ThoseOfACheckoutAreInOrder) {
  const processes::temporary_folder root;
  for (const char* folder : {"02_second", "01_first", "notes"})
    std::filesystem::create_directories(root.path() / "lessons" / folder);
  const std::vector<lesson> lessons = lessons_of(root.path());
  ASSERT_EQ(lessons.size(), 2u);
  EXPECT_EQ(lessons[0].slug, "first");
  EXPECT_EQ(lessons[1].slug, "second");
}

}  // namespace
}  // namespace course
