#include "course/record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <memory>
#include <system_error>

namespace course {
namespace {

namespace fs = std::filesystem;

bool is_free(const fs::path& record) {
  const int descriptor = open((record / "lock").c_str(), O_RDWR | O_CLOEXEC);
  const bool free = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  close(descriptor);
  return free;
}

TEST(Record, EachFileBackendAndProfileHasAFolderOfItsOwn) {
  const lesson lesson = lesson_of("/course", "03_async_copy");
  const fs::path records = "/course/.streamlings/records";
  EXPECT_EQ(record_folder(lesson, {}), records / "03");
  EXPECT_EQ(record_folder(lesson, {.profile = "teaching"}), records / "03");
  EXPECT_EQ(record_folder(lesson, {.profile = "/some/h200.json"}), records / "03-h200");
  EXPECT_EQ(record_folder(lesson, {whose_file::solution, trace::backend::gpu}), records / "03-solution-gpu");
}

TEST(RecordLock, MakesTheFolderAndHoldsItWhileItLives) {
  const fs::path record = fs::path(testing::TempDir()) / "streamlings_record_lock_test" / "records" / "03";
  auto lock = std::make_unique<record_lock>(record);
  EXPECT_FALSE(is_free(record));
  lock.reset();
  EXPECT_TRUE(is_free(record));
  fs::remove_all(record.parent_path().parent_path());
}

TEST(RecordLock, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_THROW(record_lock("/proc/no/such/folder"), fs::filesystem_error);
}

}  // namespace
}  // namespace course
