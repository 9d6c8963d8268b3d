#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "runner/grade/class_checks.h"
#include "runner/grade/digest.h"
#include "runner/terminal/terminal_session.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A class whose checks pass where the file holds "good"; each notes its arguments.
class GradedClass : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_digests()) GTEST_SKIP() << "built without libsodium";
    for (const auto verdict : {report::run_verdict::pass, report::run_verdict::wrong_answer}) {
      report::result record = toy_result(verdict);
      record.recording = "";
      report::save(toy.root() / report::word_of(verdict), record);
    }
    install("");
  }

  /// `before` is done by each check before it writes its record.
  void install(const std::string& before) {
    toy.install_check_script(
        "01",
        "root='" + toy.root().string() + "'\necho \"$@\" >> \"$root/arguments.txt\"\n" + before +
            "\nif grep -q good \"$3\"; then cp \"$root/pass\" \"$5/result.json\"; else cp \"$root/wrong_answer\" "
            "\"$5/result.json\"; fi\ntouch \"$5/exercise\"\n");
  }
  void hand_in(const std::string& student, std::string_view content) {
    toy.write("in/" + student + "/first_steps.cu", content);
  }
  std::string command(const std::string& results, const std::string& more) const {
    return "grade '" + (toy.root() / "in").string() + "' -o '" + (toy.root() / results).string() +
           "' --isolation none --jobs 1 " + more;
  }
  program_result grade_into(const std::string& results, const std::string& more = "") {
    return toy.run(command(results, more));
  }
  std::size_t checks_run() const {
    const std::string arguments = toy.read("arguments.txt");
    return static_cast<std::size_t>(std::count(arguments.begin(), arguments.end(), '\n'));
  }

  toy_course toy;
};

TEST_F(GradedClass, EachStudentHasARowAndIdenticalFilesOneCheck) {
  hand_in("ada", "good");
  hand_in("bob", "bad");
  hand_in("zoe", "good");
  hand_in("eve", "");
  toy.write("in/dan/other.cu", "good");
  toy.write("class.csv", "student\nzoe\nada\nbob\neve\nlisa\n");
  const program_result done = grade_into("out", "--roster '" + (toy.root() / "class.csv").string() + "'");
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_EQ(toy.read("out/gradebook.csv"),
            "student,score,points,max_points,01_points,01_verdict,notes\n"
            "zoe,100,100,100,100,pass,\n"
            "ada,100,100,100,100,pass,\n"
            "bob,0,0,100,0,wrong_answer,\n"
            "eve,0,0,100,0,empty_file,\n"
            "lisa,0,0,100,0,missing_submission,\n"
            "dan,0,0,100,0,missing_file,not on the roster\n");
  EXPECT_EQ(checks_run(), 2U);
  EXPECT_THAT(
      toy.read("out/grades.jsonl"),
      HasSubstr(R"("student":"bob","lesson":"01","slug":"first_steps","verdict":"wrong_answer","points":0)"));
}

TEST_F(GradedClass, NothingIsCheckedTwiceUntilSomethingChanges) {
  hand_in("ada", "good");
  hand_in("bob", "bad");
  grade_into("out");
  const std::string first = toy.read("out/gradebook.csv");
  grade_into("out");
  EXPECT_EQ(checks_run(), 2U);
  EXPECT_EQ(toy.read("out/gradebook.csv"), first);
  hand_in("bob", "better, good");
  grade_into("out");
  EXPECT_EQ(checks_run(), 3U);
  grade_into("out", "--profile h200");
  EXPECT_EQ(checks_run(), 5U);
  toy.write("checker/lessons/01_first_steps/check.cpp", "// another contract\n");
  grade_into("out");
  EXPECT_EQ(checks_run(), 7U);
}

TEST_F(GradedClass, SeedsComeFromTheSecretOfTheClassOrFromTheOption) {
  hand_in("ada", "good");
  grade_into("one");
  grade_into("two");
  grade_into("three", "--seed 5");
  grade_into("four", "--seed 5");
  std::istringstream lines(toy.read("arguments.txt"));
  std::vector<std::string> seeds;
  for (std::string line; std::getline(lines, line);)
    seeds.push_back(line.substr(line.find("--seed ") + 7, 8));
  ASSERT_EQ(seeds.size(), 4U);
  EXPECT_NE(seeds[0], seeds[1]);
  EXPECT_NE(seeds[0], seeds[2]);
  EXPECT_EQ(seeds[2], seeds[3]);
  EXPECT_EQ(fs::status(toy.root() / "one/secret").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(GradedClass, AfterKill9TheSameCommandGoesOnAndEndsWithTheSameBytes) {
  for (const char* student : {"a", "b", "c", "d"}) hand_in(student, std::string("good ") + student);
  const fs::path ready = toy.root() / "ready";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  // The third check is under way when the program is killed.
  install("if [ $(wc -l < \"$root/arguments.txt\") -eq 3 ]; then exec 3> '" + ready.string() +
          "'; echo $$ >&3; exec sleep 1000; fi");
  const pid_t program = fork();
  if (program == 0) {
    setenv("STREAMLINGS_ROOT", toy.root().c_str(), 1);
    const std::string words = std::string("exec '") + STREAMLINGS_PROGRAM + "' " + command("out", "--seed 1");
    execl("/bin/sh", "sh", "-c", words.c_str(), nullptr);
    _exit(127);
  }
  std::ifstream end_of_check(ready);
  pid_t check = 0;
  end_of_check >> check;
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  std::string rest;
  EXPECT_FALSE(end_of_check >> rest);  // the check is gone too
  EXPECT_FALSE(fs::exists(toy.root() / "out/gradebook.csv"));

  const program_result done = grade_into("out", "--seed 1");
  EXPECT_THAT(done.output, HasSubstr("2 checks run, 2 known before"));
  EXPECT_EQ(checks_run(), 5U);
  grade_into("whole", "--seed 1");
  EXPECT_EQ(toy.read("out/gradebook.csv"), toy.read("whole/gradebook.csv"));
  EXPECT_EQ(toy.read("out/grades.jsonl"), toy.read("whole/grades.jsonl"));
}

TEST_F(GradedClass, ACheckWithoutARecordIsUndecidedAndTriedAgain) {
  hand_in("ada", "good");
  install("echo 'no space' >&2; exit 2");
  const program_result failed = grade_into("out");
  EXPECT_EQ(failed.exit_status, 2);
  EXPECT_EQ(checks_run(), 2U);
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("ada,,0,0,,infra_error,"));
  install("");
  EXPECT_EQ(grade_into("out").exit_status, 0);
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("ada,100,100,100,100,pass,"));
}

TEST_F(GradedClass, ALimitOfRealTimeIsBelievedWhenTheCheckWasAlone) {
  report::result over = toy_result(report::run_verdict::timeout);
  over.recording = "";
  over.is_over_real_time = true;
  report::save(toy.root() / "over", over);
  hand_in("ada", "good");
  hand_in("bob", "slow");
  // Ada's first check, and all of Bob's.
  install(
      "if grep -q slow \"$3\" || [ $(wc -l < \"$root/arguments.txt\") -eq 1 ]; then cp \"$root/over\" \"$5/result.json\"; exit; fi");
  grade_into("out");
  EXPECT_EQ(checks_run(), 4U);
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("ada,100,100,100,100,pass,"));
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("bob,0,0,100,0,timeout,"));
  EXPECT_THAT(grade_into("out").output, HasSubstr("2 known before"));
  EXPECT_EQ(checks_run(), 4U);
}

TEST_F(GradedClass, ChecksThatAreTriedAgainAreCounted) {
  hand_in("ada", "good");
  install("exit 2");
  terminal_session session(toy.root(), {24, 80}, {},
                           std::string("exec ") + STREAMLINGS_PROGRAM + " " + command("out", ""));
  EXPECT_EQ(WEXITSTATUS(session.wait_for_end()), 2);
  EXPECT_THAT(session.bytes(), HasSubstr("2 of 2 checks"));
  EXPECT_THAT(session.bytes(), Not(HasSubstr("2 of 1 checks")));
}

TEST_F(GradedClass, SuspiciousLinesAreInTheNotesAndCostNothing) {
  hand_in("ada", "good\nasm(\"nop\");\n");
  grade_into("out");
  EXPECT_THAT(toy.read("out/gradebook.csv"),
              HasSubstr("ada,100,100,100,100,pass,01: line 2: inline assembly\n"));
  EXPECT_THAT(toy.read("out/grades.jsonl"),
              HasSubstr(R"("suspicions":[{"line":2,"what":"inline assembly"}])"));
}

TEST_F(GradedClass, NamesAreNoFormulasAndKeepTheirScript) {
  hand_in("=HYPERLINK(1)", "good");
  hand_in("Ольга 李\n\xff", "good");
  grade_into("out");
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("\n'=HYPERLINK(1),100,"));
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr("\nОльга 李 \xEF\xBF\xBD,100,"));
}

TEST_F(GradedClass, WithoutASandboxNothingIsRunUnlessAskedFor) {
  hand_in("ada", "good");
  const program_result refused = toy.run("grade '" + (toy.root() / "in").string() + "' -o '" +
                                         (toy.root() / "out").string() + "' --backend gpu");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("without a sandbox"));
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const program_result without =
      toy.run("grade '" + (toy.root() / "in").string() + "' -o '" + (toy.root() / "out").string() + "'");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(without.exit_status, 2);
  EXPECT_THAT(without.errors, HasSubstr("bubblewrap (bwrap) is not installed"));
  EXPECT_EQ(checks_run(), 0U);
}

TEST_F(GradedClass, OneProcessAtATimeHasASlot) {
  hand_in("ada", "good");
  const fs::path ready = toy.root() / "ready";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  install("'" + std::string(STREAMLINGS_PROGRAM) + "' " + command("out", "") +
          " > \"$root/second.txt\" 2>&1");
  grade_into("out");
  EXPECT_THAT(toy.read("second.txt"), HasSubstr("another `grade` is at work"));
}

TEST_F(GradedClass, LessonsAreNamedByNumbersAndRanges) {
  hand_in("ada", "good");
  grade_into("out", "--lessons 01-02");
  EXPECT_THAT(
      toy.read("out/gradebook.csv"),
      StartsWith(
          "student,score,points,max_points,01_points,01_verdict,02_points,02_verdict,notes\nada,50,100,200,100,pass,0,missing_file,"));
  EXPECT_EQ(grade_into("out", "--lessons 2-1").exit_status, 2);
  EXPECT_EQ(grade_into("out", "--lessons 7").exit_status, 2);
}

TEST_F(GradedClass, ShardsDoTheirSharesAndCollectingJoinsThem) {
  for (const char* student : {"a", "b", "c", "d", "e"}) hand_in(student, std::string("good ") + student);
  EXPECT_THAT(grade_into("out", "--shard 2/2").output,
              HasSubstr("2 checks run, 0 known before, 3 not done here"));
  EXPECT_FALSE(fs::exists(toy.root() / "out/gradebook.csv"));
  EXPECT_EQ(grade_into("out", "--collect").exit_status, 2);
  EXPECT_THAT(toy.read("out/gradebook.csv"), HasSubstr(",not_graded,"));
  EXPECT_EQ(checks_run(), 2U);
  setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  EXPECT_THAT(grade_into("out", "--shard 2").output, HasSubstr("3 checks run, 2 known before"));
  unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_EQ(grade_into("out", "--collect").exit_status, 0);
  grade_into("whole");
  EXPECT_EQ(toy.read("out/gradebook.csv"), toy.read("whole/gradebook.csv"));
  for (const char* wrong : {"--shard 2", "--shard 3/2", "--shard 0/2", "--shard two", "--shard 1/0"})
    EXPECT_EQ(grade_into("out", wrong).exit_status, 2) << wrong;
}

TEST_F(GradedClass, ANumberOfAnArrayMeansTheSameShareWhereverTheArrayBegins) {
  for (const char* student : {"a", "b", "c"}) hand_in(student, std::string("good ") + student);
  // The array of the one task that was lost.
  setenv("SLURM_ARRAY_TASK_ID", "1", 1);
  setenv("SLURM_ARRAY_TASK_MIN", "1", 1);
  grade_into("lost", "--shard 3 --seed 1");
  unsetenv("SLURM_ARRAY_TASK_ID");
  unsetenv("SLURM_ARRAY_TASK_MIN");
  EXPECT_THAT(grade_into("lost", "--shard 2/3 --seed 1").output, HasSubstr("0 checks run"));
  setenv("JOB_COMPLETION_INDEX", "2", 1);
  grade_into("lost", "--shard 3 --seed 1");
  unsetenv("JOB_COMPLETION_INDEX");
  EXPECT_THAT(grade_into("lost", "--shard 3/3 --seed 1").output, HasSubstr("0 checks run"));
}

/// sbatch that keeps its arguments, a line each, and says which number the job has.
class SubmittedClass : public GradedClass {
 protected:
  void SetUp() override {
    GradedClass::SetUp();
    toy.install_script(
        "sbatch",
        "root='" + toy.root().string() +
            "'\nprintf '%s\\n' \"$@\" > \"$root/$(for last; do :; done; basename \"$last\").options\"\n[ -e \"$root/full\" ] && echo full >&2 && exit 1\n"
            "echo \"$(ls \"$root\" | grep -c options);cluster\"\n");
    setenv("PATH", ((toy.root() / "build/bin").string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  std::string path_ = std::getenv("PATH");
};

TEST_F(SubmittedClass, HasAnArrayOfSharesAndAJobThatCollectsAfterIt) {
  hand_in("it's ada", "good");
  hand_in("bob", "bad");
  const program_result done = grade_into("out", "--slurm 2%1 --seed 1 -- --partition=short --time 60");
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("job 1 for the checks, in 2 tasks, and job 2 for the gradebook"));
  const std::string folder = (toy.root() / "out/slurm").string();
  EXPECT_EQ(toy.read("checks.sh.options"),
            "--parsable\n--job-name=streamlings-grade\n--output=" + folder +
                "/task-%a.log\n--array=0-1%1\n--cpus-per-task=1\n--partition=short\n--time\n60\n" + folder +
                "/checks.sh\n");
  EXPECT_EQ(toy.read("collect.sh.options"),
            "--parsable\n--job-name=streamlings-collect\n--output=" + folder +
                "/collect.log\n--dependency=afterany:1\n--partition=short\n--time\n60\n--gres=none\n" +
                folder + "/collect.sh\n");
  // The scripts do what the whole does.
  const std::string in = "export STREAMLINGS_ROOT='" + toy.root().string() + "'; cd /; ";
  for (const char* task : {"0", "1"})
    EXPECT_EQ(
        std::system(
            (in + "SLURM_ARRAY_TASK_ID=" + task + " bash '" + folder + "/checks.sh' > /dev/null").c_str()),
        0);
  EXPECT_EQ(checks_run(), 2U);
  EXPECT_EQ(std::system((in + "bash '" + folder + "/collect.sh' > /dev/null").c_str()), 0);
  EXPECT_EQ(checks_run(), 2U);
  grade_into("whole", "--seed 1");
  EXPECT_EQ(toy.read("out/gradebook.csv"), toy.read("whole/gradebook.csv"));
}

TEST_F(SubmittedClass, OnGpusEachTaskGetsOne) {
  hand_in("ada", "good");
  grade_into("out",
             "--slurm 3 --backend gpu --profile h200 --policy '" + (toy.root() / "p.json").string() + "'");
  EXPECT_EQ(toy.read("checks.sh.options"), "");  // there is no such policy
  grade_into("out", "--slurm 3 --backend gpu --export students --deadline '2026-11-20 18:00' --lessons 01");
  EXPECT_THAT(toy.read("checks.sh.options"), HasSubstr("\n--array=0-2\n--gres=gpu:1\n"));
  const std::string out = (toy.root() / "out").string();
  EXPECT_THAT(
      toy.read("out/slurm/checks.sh"),
      HasSubstr(
          " --output " + out +
          " --lessons 01 --deadline '2026-11-20 18:00' --export students --backend gpu --isolation none --jobs 1 "
          "--shard 3\n"));
}

TEST_F(SubmittedClass, WhatSbatchRefusesIsSaid) {
  hand_in("ada", "good");
  toy.write("full", "");
  const program_result refused = grade_into("out", "--slurm 3");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("sbatch: full"));
  for (const char* wrong :
       {"--slurm 0", "--slurm 3%0", "--slurm many", "--slurm 3 --shard 1/3", "--slurm 3 --collect",
        "-- --time=60", "--slurm 3 -- --array=1", "--slurm 3 -- -d x"})
    EXPECT_EQ(grade_into("out", wrong).exit_status, 2) << wrong;
}

TEST_F(GradedClass, EverythingThatIsExportedIsWritten) {
  hand_in("ada", "good");
  const program_result done = grade_into(
      "out",
      "--export students --export canvas --export moodle --export gradescope --export classroom --export junit");
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  for (const char* file : {"class.html", "students/ada.html", "canvas.csv", "moodle.csv",
                           "gradescope/ada.json", "classroom/ada.json", "junit.xml"})
    EXPECT_NE(toy.read(std::string("out/") + file), "") << file;
  EXPECT_THAT(toy.read("out/class.html"), HasSubstr("<a href=\"students/ada.html\">"));
  EXPECT_EQ(grade_into("out", "--export excel").exit_status, 2);
}

TEST_F(GradedClass, SimilarityHasAFolderForEachLessonAndEachStudentWithAFile) {
  hand_in("ada", "// TODO 1\n  good();\n");
  toy.write("in/bob/other.txt", "no lesson");
  grade_into("out", "--export similarity");
  EXPECT_EQ(toy.read("out/similarity/01_first_steps/base/first_steps.cpp"), "// TODO 1\n");
  EXPECT_EQ(toy.read("out/similarity/01_first_steps/submissions/ada/first_steps.cpp"),
            "// TODO 1\n  good();\n");
  EXPECT_EQ(toy.read("out/similarity/01_first_steps/own_lines/ada/first_steps.cpp"), "good();\n");
  EXPECT_FALSE(fs::exists(toy.root() / "out/similarity/01_first_steps/submissions/bob"));
}

/// A copy of git's is not needed: the toy course is a repository with a launcher of its own.
TEST_F(GradedClass, TheAutograderOfGradescopeGradesWhatIsInItsFolder) {
  const std::string root = toy.root().string();
  toy.write("streamlings",
            "#!/bin/sh\nSTREAMLINGS_ROOT='" + root + "' exec '" STREAMLINGS_PROGRAM "' \"$@\"\n");
  toy.write("solutions/01_first_steps/first_steps.cu", "solved\n");
  if (std::system(
          ("cd '" + root +
           "' && chmod +x streamlings && git init -q && git add lessons solutions checker streamlings && "
           "git -c user.name=a -c user.email=a@example.org commit -qm a")
              .c_str()) != 0 ||
      std::system("python3 --version > /dev/null") != 0)
    GTEST_SKIP() << "no git, or no Python to unpack a zip file with";
  const program_result done = toy.run("export --gradescope '" + root + "/autograder.zip' --lessons 01");
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  toy.write("autograder/submission/first_steps.cu", "good");
  // As Gradescope does it.
  ASSERT_EQ(
      std::system(("cd '" + root +
                   "/autograder' && mkdir results && python3 -m zipfile -e ../autograder.zip source && "
                   "cp source/run_autograder . && chmod +x run_autograder source/streamlings && cd / && '" +
                   root + "/autograder/run_autograder' > /dev/null")
                      .c_str()),
      0);
  EXPECT_THAT(toy.read("autograder/results/results.json"), HasSubstr("\"score\": 100.0"));
  EXPECT_THAT(toy.read("autograder/source/setup.sh"), StartsWith("#!/usr/bin/env bash\n"));
  EXPECT_FALSE(fs::exists(toy.root() / "autograder/source/solutions"));
  for (const char* wrong : {"", "--gradescope a.zip", "--gradescope a.zip --lessons 77",
                            "--students a --gradescope b --lessons 01", "--students a --lessons 01"})
    EXPECT_EQ(toy.run(std::string("export ") + wrong).exit_status, 2) << wrong;
}

TEST(Export, HasNoAnswersEveryLessonAsItComesAndAHistoryOfItsOwn) {
  const toy_course toy;
  toy.write("lessons/01_first_steps/first_steps.cu", "my own work\n");
  toy.write("solutions/01_first_steps/first_steps.cu", "solved\n");
  toy.write("checker/lessons/01_first_steps/wrong/a.cu", "wrong\n");
  toy.write("checker/lessons/01_first_steps/right/a.cu", "right\n");
  const std::string root = toy.root().string();
  if (std::system(
          ("cd '" + root +
           "' && git init -q && git add lessons solutions checker && git -c user.name=a -c user.email=a@example.org commit -qm a")
              .c_str()) != 0)
    GTEST_SKIP() << "no git";
  toy.write("lessons/01_first_steps/notes.txt", "git does not know this\n");
  const program_result done = toy.run("export --students '" + root + "/out'");
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_EQ(toy.read("out/lessons/01_first_steps/first_steps.cu"), "// TODO 1\n");
  EXPECT_NE(toy.read("out/checker/lessons/01_first_steps/hints.md"), "");
  for (const char* missing : {"solutions", "checker/lessons/01_first_steps/wrong",
                              "checker/lessons/01_first_steps/right", "lessons/01_first_steps/notes.txt"})
    EXPECT_FALSE(fs::exists(toy.root() / "out" / missing)) << missing;
  EXPECT_EQ(
      std::system(("cd '" + root +
                   "/out' && test -z \"$(git status --porcelain)\" && test $(git rev-list --count HEAD) = 1")
                      .c_str()),
      0);
  EXPECT_EQ(toy.run("export --students '" + root + "/out'").exit_status, 2);  // not empty
}

TEST(TimeLeft, IsInMinutesAndHours) {
  EXPECT_EQ(time_left(0, 1), "0 min");
  EXPECT_EQ(time_left(1, 1), "1 min");
  EXPECT_EQ(time_left(600, 0.5), "20 min");
  EXPECT_EQ(time_left(4800, 1), "1 h 20 min");
}

}  // namespace
}  // namespace runner
