#include "runner/grade/submissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/cannot_do.h"
#include "processes/files.h"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Field;

class Submissions : public testing::Test {
 protected:
  void write(const std::string& file, std::string_view content) {
    processes::write_whole(folder.path() / file, content);
  }
  static std::vector<std::string> words(const std::vector<submission>& found) {
    std::vector<std::string> made;
    for (const submission& one : found)
      made.push_back(one.student + " " + std::string(word_of(one.problem)) + (one.is_on_roster ? "" : "!"));
    return made;
  }
  processes::temporary_folder folder;
};

TEST_F(Submissions, EachEntryOfAFolderIsAStudent) {
  write("in/bob/a.cu", "");
  write("in/ada.tar.gz", "");
  write("in/eve.rar", "");
  write("in/.DS_Store", "");
  write("in/dan/a.cu", "");
  write("in/dan.zip", "");
  fs::create_directory_symlink("/etc", folder.path() / "in/mallory");
  EXPECT_THAT(
      words(submissions_in(folder.path() / "in", "")),
      ElementsAre("ada ", "bob ", "dan several_submissions", "eve.rar unknown_kind", "mallory unknown_kind"));
}

TEST_F(Submissions, TheRosterGivesTheOrderAndNamesWhoIsMissing) {
  write("in/bob/a.cu", "");
  write("in/eve/a.cu", "");
  write("class.csv", "name,ID\nZoë,zoe\nRobert,bob\nRobert,bob\n");
  EXPECT_THAT(words(submissions_in(folder.path() / "in", folder.path() / "class.csv")),
              ElementsAre("zoe missing_submission", "bob ", "eve !"));
}

TEST_F(Submissions, TheTableOfCanvasIsARoster) {
  write("in/bob/a.cu", "");
  write(
      "canvas.csv",
      "Student,ID,SIS User ID,SIS Login ID,Section,Old\n    Points Possible,,,,,10\n\"Hopper, Bob\",7,u7,bob,A,\n");
  EXPECT_THAT(words(submissions_in(folder.path() / "in", folder.path() / "canvas.csv")), ElementsAre("bob "));
}

TEST_F(Submissions, ATableMapsStudentsToPathsBesideIt) {
  write("in/1/a.cu", "");
  write("in/map.csv", "student,path,date\n\"Lovelace, Ada\",1,2026-11-20\nBob,2,\nEve,,\n");
  const auto found = submissions_in(folder.path() / "in/map.csv", "");
  EXPECT_THAT(words(found),
              ElementsAre("Bob missing_submission", "Eve missing_submission", "Lovelace, Ada "));
  EXPECT_EQ(found[2].path, folder.path() / "in/1");
  EXPECT_EQ(found[2].date, "2026-11-20");
}

TEST_F(Submissions, WhatCannotBeASourceIsRefused) {
  EXPECT_THROW(submissions_in(folder.path() / "none", ""), processes::cannot_do);
  fs::create_directory(folder.path() / "empty");
  EXPECT_THROW(submissions_in(folder.path() / "empty", ""), processes::cannot_do);
  write("map.csv", "who,where\n");
  EXPECT_THROW(submissions_in(folder.path() / "map.csv", ""), processes::cannot_do);
}

}  // namespace
}  // namespace runner
