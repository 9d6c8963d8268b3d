// `streamlings update` with real clones: what a learner has written survives whatever was published.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "processes/files.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto lesson_file = "lessons/01_first_steps/first_steps.cu";

/// A learner's clone of a published course.
class Update : public testing::Test {
 protected:
  Update() {
    const std::string learner = toy.root().string();
    const std::string author = published.path().string();
    in(toy.root(), "git init -q -b main && git add lessons checker && git commit -q -m first");
    in(published.path(), "git clone -q '" + learner + "' course");
    in(toy.root(),
       "git remote add origin '" + author + "/course' && git fetch -q && git branch -q -u origin/main");
  }
  static void in(const std::filesystem::path& folder, const std::string& script) {
    const std::string identity =
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
        "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";
    ASSERT_EQ(std::system((identity + "cd '" + folder.string() + "' && { " + script + "; }").c_str()), 0);
  }
  void publish(const std::string& script) const {
    in(published.path() / "course", script + "; git add -A && git commit -q -m more");
  }

  toy_course toy;
  processes::temporary_folder published;
};

TEST_F(Update, WithoutNewsTheCourseIsUpToDate) {
  EXPECT_EQ(toy.run("update").output, "The course is up to date.\n");
}

TEST_F(Update, AnEditedFileStaysWhenItsLessonWasChanged) {
  toy.write(lesson_file, "int mine;\n");
  publish(
      "echo '// TODO 2' > lessons/01_first_steps/first_steps.cu; echo more >> "
      "lessons/02_next_steps/README.md");
  const program_result result = toy.run("update");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(toy.read(lesson_file), "int mine;\n");
  EXPECT_THAT(result.output,
              HasSubstr("Lesson 01 First steps: its file to edit has changed. Yours is as you left it"));
  EXPECT_THAT(result.output, HasSubstr("Lesson 02 next_steps: changed: page\n"));
  EXPECT_THAT(toy.read("lessons/02_next_steps/README.md"), HasSubstr("more"));
  EXPECT_FALSE(std::filesystem::is_empty(toy.root() / ".streamlings/backup"));
}

TEST_F(Update, AnUntouchedFileBecomesTheNewOne) {
  publish("echo '// TODO 2' > lessons/01_first_steps/first_steps.cu");
  EXPECT_EQ(toy.run("update").exit_status, 0);
  EXPECT_EQ(toy.read(lesson_file), "// TODO 2\n");
}

TEST_F(Update, AnEditedFileFollowsItsLessonToAnotherNumber) {
  toy.write(lesson_file, "int mine;\n");
  publish(
      "git mv lessons/01_first_steps lessons/03_first_steps; "
      "git mv checker/lessons/01_first_steps checker/lessons/03_first_steps");
  EXPECT_EQ(toy.run("update").exit_status, 0);
  EXPECT_EQ(toy.read("lessons/03_first_steps/first_steps.cu"), "int mine;\n");
}

TEST_F(Update, AFileWhoseLessonIsGoneIsKept) {
  toy.write(lesson_file, "int mine;\n");
  publish("git rm -q -r lessons/01_first_steps");
  const program_result result = toy.run("update");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::string lead = "Your file is ";
  const std::size_t start = result.output.find(lead);
  ASSERT_NE(start, std::string::npos) << result.output;
  const std::size_t begin = start + lead.size();
  EXPECT_EQ(toy.read(result.output.substr(begin, result.output.find('\n', begin) - begin)), "int mine;\n");
}

TEST_F(Update, WhatGitRefusesLeavesEverythingAsItWas) {
  toy.write(lesson_file, "int mine;\n");
  toy.write("lessons/02_next_steps/README.md", "my notes\n");
  publish(
      "echo '// TODO 2' > lessons/01_first_steps/first_steps.cu; echo more >> "
      "lessons/02_next_steps/README.md");
  const program_result result = toy.run("update");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("your files are as they were"));
  EXPECT_EQ(toy.read(lesson_file), "int mine;\n");
  EXPECT_EQ(toy.read("lessons/02_next_steps/README.md"), "my notes\n");
}

TEST_F(Update, OwnCommitsAreLeftToGit) {
  toy.write(lesson_file, "int mine;\n");
  in(toy.root(), "git commit -q -a -m mine");
  publish("echo more >> lessons/02_next_steps/README.md");
  const program_result result = toy.run("update");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("git pull --rebase"));
}

TEST_F(Update, TheNewsAreTheLinesAddedToTheChangeLog) {
  publish("printf '# Changelog\\n\\n- A lesson on graphs.\\n' > CHANGELOG.md");
  EXPECT_THAT(toy.run("update").output, HasSubstr("- A lesson on graphs.\n"));
}

TEST(UpdateWithoutGit, ACourseThatIsNoCloneSaysWhatToDo) {
  const toy_course toy;
  const program_result result = toy.run("update");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("not a git clone"));
}

TEST(ReportProblem, ItIsShownAndWrittenOnlyWhenAgreed) {
  const toy_course toy;
  toy.install_check(toy_result(report::run_verdict::no_overlap));
  toy.run("check 1");
  const std::string file = (toy.root() / "problem.tar.gz").string();
  const program_result asked = toy.run("report-problem 1 -o " + file);
  EXPECT_EQ(asked.exit_status, 2);
  EXPECT_THAT(asked.output, HasSubstr("result.json"));
  EXPECT_FALSE(std::filesystem::exists(file));
  const program_result result = toy.run("report-problem 1 --yes -o " + file);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  ASSERT_EQ(std::system(("mkdir " + (toy.root() / "p").string() + " && tar -xzf " + file +
                         " --strip-components=1 -C " + (toy.root() / "p").string())
                            .c_str()),
            0);
  EXPECT_THAT(toy.read("p/result.json"), HasSubstr("no_overlap"));
  EXPECT_EQ(toy.read("p/first_steps.cu"), "// TODO 1\n");
  EXPECT_THAT(toy.read("p/versions.txt"), Not(HasSubstr(toy.root().string())));
  EXPECT_THAT(toy.read("p/versions.txt"), HasSubstr("COURSE can be written to"));
}

}  // namespace
}  // namespace runner
