#include "runner/grade/hand_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processes/files.h"
#include "processes/run.h"
#include "runner/grade/submission_files.h"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const course::lesson lesson = course::lesson_of("/course", "03_async_copy");

submission_files submitted(std::vector<submitted_file> files) {
  return {hand_in_problem::none, "", std::move(files)};
}
submitted_file text_file(const std::string& path, const std::string& content) {
  return {path, hand_in_problem::none, content};
}

TEST(HandIn, AFileIsFoundByItsNameWhereverItLies) {
  EXPECT_EQ(chosen_file(submitted({text_file("a/b/async_copy.cu", "x")}), lesson).path, "a/b/async_copy.cu");
  EXPECT_EQ(chosen_file(submitted({text_file("03_async_copy.cu", "x")}), lesson).content, "x");
  EXPECT_EQ(chosen_file(submitted({text_file("multi_stream.cu", "x")}), lesson).problem,
            hand_in_problem::missing_file);
}

TEST(HandIn, TheFileInTheLessonsFolderCountsAndThatOfTheSolutionsNever) {
  const submitted_file mine = text_file("clone/lessons/03_async_copy/async_copy.cu", "mine");
  const submitted_file solution = text_file("clone/solutions/03_async_copy/async_copy.cu", "solution");
  EXPECT_EQ(chosen_file(submitted({text_file("async_copy.cu", "old"), mine, solution}), lesson).content,
            "mine");
  EXPECT_EQ(chosen_file(submitted({solution}), lesson).problem, hand_in_problem::missing_file);
}

TEST(HandIn, TwoFilesAreRefusedUnlessTheyAreTheSame) {
  EXPECT_EQ(
      chosen_file(submitted({text_file("a/async_copy.cu", "x"), text_file("b/async_copy.cu", "x")}), lesson)
          .content,
      "x");
  const hand_in two =
      chosen_file(submitted({text_file("a/async_copy.cu", "x"), text_file("b/async_copy.cu", "y")}), lesson);
  EXPECT_EQ(two.problem, hand_in_problem::several_files);
  EXPECT_THAT(two.detail, HasSubstr("a/async_copy.cu and b/async_copy.cu"));
}

TEST(HandIn, EmptyAndBinaryFilesAreNamed) {
  const auto problem_of = [](const std::string& content) {
    return chosen_file(submitted({text_file("async_copy.cu", content)}), lesson).problem;
  };
  EXPECT_EQ(problem_of(""), hand_in_problem::empty_file);
  EXPECT_EQ(problem_of(" \n\t\r\n"), hand_in_problem::empty_file);
  EXPECT_EQ(problem_of(std::string("ELF\0", 4)), hand_in_problem::binary_file);
  EXPECT_EQ(problem_of("\xff\xfe/"), hand_in_problem::binary_file);
  EXPECT_EQ(problem_of("// \xe4\n"), hand_in_problem::none);
}

class SubmittedFolder : public testing::Test {
 protected:
  void write(const std::string& file, std::string_view content) {
    processes::write_whole(folder.path() / file, content);
  }
  hand_in found() {
    return chosen_file(files_in(folder.path(), names_of(lesson), processes::isolation::none), lesson);
  }
  processes::temporary_folder folder;
};

TEST_F(SubmittedFolder, LinksPipesAndLargeFilesAreNotRead) {
  write("secret.cu", "secret");
  fs::create_symlink(folder.path() / "secret.cu", folder.path() / "async_copy.cu");
  EXPECT_EQ(found().problem, hand_in_problem::no_regular_file);
  fs::remove(folder.path() / "async_copy.cu");
  ASSERT_EQ(mkfifo((folder.path() / "async_copy.cu").c_str(), 0600), 0);
  EXPECT_EQ(found().problem, hand_in_problem::no_regular_file);
  fs::remove(folder.path() / "async_copy.cu");
  write("async_copy.cu", "");
  fs::resize_file(folder.path() / "async_copy.cu", std::uintmax_t{2} << 30);  // sparse
  EXPECT_EQ(found().problem, hand_in_problem::large_file);
  fs::remove(folder.path() / "async_copy.cu");
  fs::create_directory(folder.path() / "async_copy.cu");
  EXPECT_EQ(found().problem, hand_in_problem::missing_file);
}

TEST_F(SubmittedFolder, LinksToFoldersAreNotFollowedAndHiddenFoldersPassedOver) {
  const processes::temporary_folder other;
  processes::write_whole(other.path() / "async_copy.cu", "other");
  fs::create_directory_symlink(other.path(), folder.path() / "link");
  fs::create_directory_symlink("..", folder.path() / "loop");
  write(".git/async_copy.cu", "git");
  write("build/async_copy.cu", "built");
  EXPECT_EQ(found().problem, hand_in_problem::missing_file);
  write("Übung 3/李/async_copy.cu", "mine");
  EXPECT_EQ(found().content, "mine");
}

TEST_F(SubmittedFolder, AClonesDateIsThatOfItsLastCommit) {
  const processes::isolation best = processes::probed_isolation().best;
  if (best == processes::isolation::none) GTEST_SKIP() << processes::probed_isolation().why_no_more;
  const std::string script =
      "cd '" + folder.path().string() +
      "' && git init -q && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m a && chmod -R a+rX .";
  setenv("GIT_COMMITTER_DATE", "2026-11-20T18:00:00+01:00", 1);
  const processes::outcome made = processes::run({.arguments = {"sh", "-c", script}});
  unsetenv("GIT_COMMITTER_DATE");
  if (!made.succeeded()) GTEST_SKIP() << "no git: " << made.output;
  EXPECT_EQ(date_of_clone(folder.path(), best), "2026-11-20 17:00:00");
  EXPECT_EQ(date_of_clone(folder.path(), processes::isolation::none), "");
  EXPECT_EQ(date_of_clone(folder.path() / ".git", best), "");
}

class SubmittedArchive : public SubmittedFolder {
 protected:
  void SetUp() override {
    if (!can_read_archives()) GTEST_SKIP() << "built without libarchive";
    if (!processes::run({.arguments = {"python3", "--version"}}, processes::capture::output_only).succeeded())
      GTEST_SKIP() << "no python3, which makes the archives";
  }
  /// Makes an archive with Python, which writes any path and any size.
  hand_in found_in(const std::string& name, const std::string& script) {
    const fs::path archive = folder.path() / name;
    const processes::outcome made = processes::run(
        {.arguments = {
             "python3", "-c",
             "import io,os,stat,tarfile,zipfile\nname=" + ("'" + archive.string() + "'") + "\n" + script}});
    EXPECT_EQ(made.exit_status, 0) << made.output;
    return chosen_file(files_in(archive, names_of(lesson), processes::isolation::none), lesson);
  }
};

TEST_F(SubmittedArchive, ZipAndTarAreRead) {
  EXPECT_EQ(
      found_in(
          "a.zip",
          "zipfile.ZipFile(name,'w',zipfile.ZIP_DEFLATED).writestr('Übung/03_async_copy/async_copy.cu','x'*1000)")
          .content,
      std::string(1000, 'x'));
  EXPECT_EQ(
      found_in(
          "a.tar.gz",
          "t=tarfile.open(name,'w:gz'); i=tarfile.TarInfo('./李/async_copy.cu'); i.size=2; t.addfile(i, io.BytesIO(b'ab')); t.close()")
          .content,
      "ab");
}

TEST_F(SubmittedArchive, PathsThatLeadOutRefuseTheWhole) {
  for (const char* path : {"../../etc/x", "/etc/x", "a/../../x", "a\\..\\..\\x", ".."}) {
    const hand_in found = found_in(
        "a.zip", std::string("z=zipfile.ZipFile(name,'w'); z.writestr('async_copy.cu','x'); z.writestr(r'") +
                     path + "','y'); z.close()");
    EXPECT_EQ(found.problem, hand_in_problem::unsafe_archive) << path;
  }
}

TEST_F(SubmittedArchive, LinksInIt) {
  EXPECT_EQ(
      found_in(
          "a.tar",
          "t=tarfile.open(name,'w'); i=tarfile.TarInfo('async_copy.cu'); i.type=tarfile.SYMTYPE; i.linkname='/etc/passwd'; "
          "t.addfile(i); t.close()")
          .problem,
      hand_in_problem::no_regular_file);
  EXPECT_EQ(
      found_in(
          "b.tar",
          "t=tarfile.open(name,'w'); i=tarfile.TarInfo('async_copy.cu'); i.type=tarfile.LNKTYPE; i.linkname='/etc/passwd'; "
          "t.addfile(i); t.close()")
          .problem,
      hand_in_problem::no_regular_file);
}

TEST_F(SubmittedArchive, BombsAreNotUnpacked) {
  // 300 MB of zeros in a file beside, and 2 MB in the lesson's.
  EXPECT_EQ(
      found_in(
          "a.zip",
          "z=zipfile.ZipFile(name,'w',zipfile.ZIP_DEFLATED,compresslevel=1)\nwith z.open('big','w') as f:\n for i in range(300): "
          "f.write(bytes(1<<20))\nz.writestr('async_copy.cu','x'); z.close()")
          .problem,
      hand_in_problem::large_archive);
  EXPECT_EQ(found_in("b.zip",
                     "zipfile.ZipFile(name,'w',zipfile.ZIP_DEFLATED).writestr('async_copy.cu',bytes(2<<20))")
                .problem,
            hand_in_problem::large_file);
}

TEST_F(SubmittedArchive, WhatIsNoArchiveIsNamed) {
  EXPECT_EQ(found_in("a.zip", "open(name,'wb').write(b'PK\\3\\4 no zip')").problem,
            hand_in_problem::unreadable_archive);
  EXPECT_EQ(found_in("b.zip", "open(name,'wb')").problem, hand_in_problem::unreadable_archive);
  EXPECT_EQ(found_in("c.rar", "open(name,'wb').write(b'Rar!')").problem, hand_in_problem::unknown_kind);
}

TEST(UnpackedFiles, WhatIsNotOfTheFormIsRefused) {
  EXPECT_EQ(unpacked_files("file 1 2\nabc").files.at(0).content, "bc");
  for (const char* printed : {"file 1 99999999999999999999\nabc", "file 1 3\nabc", "file 1\nabc",
                              "file 1 2 3\nabc", "shell 1 2\nabc", "file -1 2\nabc", "junk"})
    EXPECT_EQ(unpacked_files(printed).problem, hand_in_problem::unreadable_archive) << printed;
}

}  // namespace
}  // namespace runner
