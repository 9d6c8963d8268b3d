#include "processes/files.h"

#include <gtest/gtest.h>

#include "processes/cannot_do.h"

namespace processes {
namespace {

TEST(Files, AWrittenFileIsReadWhole) {
  const temporary_folder folder;
  const std::string text("two\nlines\0and a null", 20);
  write_whole(folder.path() / "new" / "file", text);
  EXPECT_EQ(content_of(folder.path() / "new" / "file"), text);
}

TEST(Files, WhatIsNoFileHasNoContent) {
  const temporary_folder folder;
  EXPECT_EQ(content_of(folder.path()), std::nullopt);
  EXPECT_EQ(content_of(folder.path() / "absent"), std::nullopt);
  EXPECT_THROW(write_whole("/proc/self/file", ""), cannot_do);
}

TEST(Files, ATemporaryFolderVanishesWithAllItHolds) {
  std::filesystem::path path;
  {
    const temporary_folder folder;
    path = folder.path();
    write_whole(path / "file", "text");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace processes
