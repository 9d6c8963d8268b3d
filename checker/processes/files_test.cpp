#include "processes/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

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

TEST(Files, WhatOpensAndCannotBeReadHasNoContent) {
  EXPECT_EQ(content_of("/proc/self/mem"), std::nullopt);  // nothing is mapped at its begin
}

TEST(Files, AHalfWrittenFileOfAKilledProcessIsReplaced) {
  const temporary_folder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file.string() + ".tmp") << "much more than will be written";
  write_whole(file, "text");
  EXPECT_EQ(content_of(file), "text");
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".tmp"));
}

TEST(Files, WritersOfOneFileDoNotMixWhatTheyWrite) {
  const temporary_folder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    writers.emplace_back([&, letter] {
      for (std::size_t i = 0; i < 100; ++i) write_whole(file, std::string(1000 + i, letter));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = content_of(file).value();
  EXPECT_EQ(content, std::string(1099, content.front()));
}

TEST(Files, AnOutputFollowsALinkAndKeepsIt) {
  const temporary_folder folder;
  const std::filesystem::path link = folder.path() / "link";
  std::filesystem::create_symlink("target", link);
  write_output(link, "text");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(folder.path() / "target"), "text");
}

TEST(Files, AnOutputGoesThroughADeviceAndAFifo) {
  const temporary_folder folder;
  write_output("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const std::filesystem::path fifo = folder.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] { std::getline(std::ifstream(fifo), text); });
  write_output(fifo, "text");
  reader.join();
  EXPECT_EQ(text, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

std::string refusal_of_output(const std::filesystem::path& file) {
  try {
    write_output(file, "text");
  } catch (const cannot_do& reason) {
    return reason.what();
  }
  return "";
}

TEST(Files, AnOutputIsRefusedWithItsReason) {
  const temporary_folder folder;
  const std::filesystem::path nowhere = folder.path() / "nowhere" / "file";
  EXPECT_NE(refusal_of_output(nowhere).find("Make the folder first"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(nowhere.parent_path()));
  EXPECT_NE(refusal_of_output(folder.path()).find("Is a directory"), std::string::npos);
  EXPECT_NE(refusal_of_output("/dev/full").find("Make room"), std::string::npos);
}

/// The folder of a process that was killed, so long ago that nobody can be about to lock it.
std::filesystem::path stale_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "streamlings.temporary.XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  write_whole(std::filesystem::path(pattern) / "file", "text");
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, pattern.c_str(), long_ago, 0);
  return pattern;
}

TEST(Files, AStaleTemporaryFolderIsRemovedByTheNext) {
  const std::filesystem::path used = stale_folder();
  const descriptor lock(open(used.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(flock(lock.number(), LOCK_EX), 0);
  const std::filesystem::path stale = stale_folder();
  const temporary_folder next;
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(used));
  std::filesystem::remove_all(used);
}

TEST(Files, WhatIsWrongWithAFileOfTextIsSaid) {
  const temporary_folder folder;
  EXPECT_EQ(problem_of_text(folder.path() / "absent"), "does not exist.");
  EXPECT_EQ(problem_of_text(folder.path()), "is a folder, not a file.");
  EXPECT_EQ(problem_of_text("/dev/zero"), "is a device or a pipe, not a file.");
  write_whole(folder.path() / "wide", std::string("\xff\xfe/\0/\0", 6));
  EXPECT_NE(problem_of_text(folder.path() / "wide").find("UTF-8"), std::string::npos);
  write_whole(folder.path() / "plain", "// text\n");
  EXPECT_EQ(problem_of_text(folder.path() / "plain"), "");
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

TEST(Files, TheListOfACompilerIsRead) {
  const auto files = files_in_list("list: a.cu /usr/include/stdio.h \\\n  with\\ space.h x$$y.h\n");
  EXPECT_EQ(files,
            (std::vector<std::filesystem::path>{"a.cu", "/usr/include/stdio.h", "with space.h", "x$y.h"}));
  EXPECT_TRUE(files_in_list("").empty());
}

}  // namespace
}  // namespace processes
