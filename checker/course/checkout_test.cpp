#include "course/checkout.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "processes/cannot_do.h"
#include "processes/files.h"

namespace course {
namespace {

class Checkout : public testing::Test {
 protected:
  Checkout() { setenv("STREAMLINGS_ROOT", root().c_str(), 1); }
  ~Checkout() override { unsetenv("STREAMLINGS_ROOT"); }
  const std::filesystem::path& root() const { return folder_.path(); }
  void add_lesson(const std::string& folder) const {
    std::filesystem::create_directories(root() / "lessons" / folder);
  }

 private:
  processes::temporary_folder folder_;
};

TEST_F(Checkout, ALessonIsFoundByNumberSlugFolderAndFile) {
  add_lesson("03_async_copy");
  const checkout checkout = checkout::open();
  for (const char* name : {"3", "03", "async_copy", "03_async_copy", "lessons/03_async_copy/",
                           "lessons/03_async_copy/async_copy.cu"})
    EXPECT_EQ(checkout.find(name).number, 3) << name;
  EXPECT_THROW(checkout.find("4"), processes::cannot_do);
}

TEST_F(Checkout, WithoutLessonsItIsRefused) { EXPECT_THROW(checkout::open(), processes::cannot_do); }

TEST_F(Checkout, ProgramsAreInItsBuildFolder) {
  add_lesson("03_async_copy");
  processes::write_whole(root() / "build/bin/check03", "");
  const checkout checkout = checkout::open();
  EXPECT_EQ(checkout.program("check03"), root() / "build/bin/check03");
  EXPECT_THROW(checkout.program("check04"), processes::cannot_do);
}

TEST(RelativePath, OfAFileInsideIsRelativeToTheCheckout) {
  EXPECT_EQ(relative_path("/course", "/course/lessons/a.cu"), "lessons/a.cu");
  EXPECT_EQ(relative_path("/course", "/elsewhere/a.cu"), "/elsewhere/a.cu");
}

}  // namespace
}  // namespace course
