#include "runner/watch/file_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>

#include "processes/files.h"

namespace runner {
namespace {

class FileWatch : public testing::TestWithParam<notification> {
 protected:
  FileWatch() { write("one"); }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::filesystem::path file() const { return folder_.path() / "lesson.cu"; }
  processes::temporary_folder folder_;
};

TEST_P(FileWatch, ASaveInPlaceIsNoticedOnce) {
  file_watch watch(file(), GetParam());
  EXPECT_FALSE(watch.has_changed());
  write("two, longer");
  EXPECT_TRUE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed());
}

TEST_P(FileWatch, ASaveByRenamingIsNoticed) {
  file_watch watch(file(), GetParam());
  processes::write_whole(file(), "two");
  EXPECT_TRUE(watch.has_changed());
  processes::write_whole(file(), "six");
  EXPECT_TRUE(watch.has_changed());
}

TEST_P(FileWatch, SavingTheSameIsNoChange) {
  file_watch watch(file(), GetParam());
  processes::write_whole(file(), "one");
  EXPECT_FALSE(watch.has_changed());
}

TEST_P(FileWatch, AFileThatGoesAndComesBackHasChangedTwice) {
  file_watch watch(file(), GetParam());
  std::filesystem::remove(file());
  EXPECT_TRUE(watch.has_changed());
  write("one");
  EXPECT_TRUE(watch.has_changed());
}

INSTANTIATE_TEST_SUITE_P(BothWays, FileWatch, testing::Values(notification::from_kernel, notification::none),
                         [](const auto& way) {
                           return way.param == notification::none ? "ByLooking" : "ByInotify";
                         });

TEST(FileWatchDescriptor, TellsOfASaveAndOnlyWithTheKernel) {
  const processes::temporary_folder folder;
  processes::write_whole(folder.path() / "a.cu", "one");
  const file_watch watch(folder.path() / "a.cu", notification::from_kernel);
  pollfd waiting{watch.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&waiting, 1, 0), 0);
  processes::write_whole(folder.path() / "a.cu", "two");
  EXPECT_EQ(poll(&waiting, 1, 0), 1);
  EXPECT_EQ(file_watch(folder.path() / "a.cu", notification::none).descriptor(), -1);
}

}  // namespace
}  // namespace runner
