#include "runner/installation/file_system.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include "processes/files.h"

namespace runner {
namespace {

TEST(FileSystem, SharedOnesHaveANameAndDisksHaveNone) {
  EXPECT_EQ(shared_file_system_name(NFS_SUPER_MAGIC), "NFS");
  EXPECT_EQ(shared_file_system_name(static_cast<int>(CIFS_SUPER_MAGIC)), "CIFS");
  EXPECT_EQ(shared_file_system_name(EXT4_SUPER_MAGIC), "");
  EXPECT_EQ(shared_file_system_name(OVERLAYFS_SUPER_MAGIC), "");
}

TEST(FileSystem, AFolderThatIsNotThereHasNoName) { EXPECT_EQ(shared_file_system("/nowhere/at/all"), ""); }

TEST(FileSystem, TryingTheNoticeOfASaveLeavesNothingBehind) {
  const processes::temporary_folder folder;
  EXPECT_EQ(try_save_notice(folder.path()), save_notice::delivered);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace runner
