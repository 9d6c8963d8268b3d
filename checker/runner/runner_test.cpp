// The program `streamlings`, started as a user starts it, in a toy course.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/timeline_format.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using report::run_verdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Runner, HelpNamesEveryVerbAndShowsAnExample) {
  const program_result result = toy_course().run("--help");
  EXPECT_EQ(result.exit_status, 0);
  for (const char* verb : {"list", "check", "hint", "reset", "next", "prev", "timeline", "compare", "sweep",
                           "explain", "run", "profiles", "verify"}) {
    EXPECT_THAT(result.output, HasSubstr(std::string("\n  ") + verb + " "));
  }
  EXPECT_THAT(result.output, HasSubstr("Example: streamlings check 03"));
}

TEST(Runner, EveryVerbHasAnExample) {
  const toy_course toy;
  for (const std::string verb : {"list", "check", "hint", "reset", "next", "prev", "timeline", "compare",
                                 "explain", "run", "profiles", "verify"}) {
    const program_result result = toy.run(verb + " --help");
    EXPECT_EQ(result.exit_status, 0) << verb;
    EXPECT_THAT(result.output, HasSubstr("Example: streamlings " + verb));
  }
}

TEST(Runner, MistakesOfUsageEndWithStatusTwoAndAnExplanationOnStandardError) {
  const toy_course toy;
  for (const char* arguments :
       {"chekc", "check --sed 1", "hint 1 --all --level 2", "reset", "check 1 --width 12", "run"}) {
    const program_result result = toy.run(arguments);
    EXPECT_EQ(result.exit_status, 2) << arguments;
    EXPECT_THAT(result.output, IsEmpty()) << arguments;
    EXPECT_THAT(result.errors, Not(IsEmpty())) << arguments;
  }
}

TEST(Runner, AnUnknownLessonIsAnsweredWithTheList) {
  const toy_course toy;
  for (const char* verb : {"check", "hint", "reset", "timeline", "compare"}) {
    const program_result result = toy.run(std::string(verb) + " 17");
    EXPECT_EQ(result.exit_status, 2) << verb;
    EXPECT_THAT(result.errors, HasSubstr("there is no lesson '17'"));
    EXPECT_THAT(result.errors, HasSubstr("01  first_steps"));
    EXPECT_THAT(result.errors, HasSubstr("02  next_steps"));
  }
}

TEST(Runner, AFolderWithoutLessonsIsNamed) {
  const toy_course toy;
  std::filesystem::remove_all(toy.root() / "lessons");
  const program_result result = toy.run("list");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("lessons holds no lessons"));
}

TEST(Runner, ALessonIsNamedByNumberSlugFolderOrFile) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  for (const char* name : {"1", "01", "first_steps", "01_first_steps", "lessons/01_first_steps/",
                           "lessons/01_first_steps/first_steps.cu"}) {
    EXPECT_EQ(toy.run(std::string("check ") + name).exit_status, 0) << name;
  }
}

TEST(Runner, ListShowsStateAndCurrentLesson) {
  const program_result result = toy_course().run("list");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("> 01  First steps  untouched"));
  EXPECT_THAT(result.output, HasSubstr("  02  next_steps   untouched"));
  EXPECT_THAT(result.output, HasSubstr("0 of 2 done"));
}

TEST(Runner, ListFollowsALessonFromUntouchedToEdited) {
  const toy_course toy;
  const auto state = [&] {
    return nlohmann::json::parse(toy.run("list --json").output)["lessons"][0]["state"];
  };
  EXPECT_EQ(state(), "untouched");
  toy.write("lessons/01_first_steps/first_steps.cu", "int answer;\n");
  EXPECT_EQ(state(), "started");
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1");
  EXPECT_EQ(state(), "done");
  toy.write("lessons/01_first_steps/first_steps.cu", "int other;\n");
  EXPECT_EQ(state(), "edited");
}

TEST(Runner, APassIsOutdatedWhenTheContractOrTheCheckChanges) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1");
  for (const char* file : {"lessons/01_first_steps/first_steps.h", "checker/lessons/01_first_steps/check.cpp",
                           "checker/lessons/01_first_steps/drive.cpp"}) {
    toy.write(file, "// changed\n");
    EXPECT_THAT(toy.run("list").output, HasSubstr("> 01  First steps  outdated")) << file;
    EXPECT_THAT(toy.run("").output, HasSubstr("0 of 2 lessons done")) << file;
    toy.install_check(toy_result(run_verdict::pass));
    toy.run("check 1");
    EXPECT_THAT(toy.run("list").output, HasSubstr("> 01  First steps  done")) << file;
  }
  toy.write("lessons/01_first_steps/README.md", "# Other words\n");
  EXPECT_THAT(toy.run("list").output, HasSubstr("done")) << "the text of a lesson asks for nothing";
}

TEST(Runner, StatusNamesTheNextStep) {
  const toy_course toy;
  EXPECT_THAT(toy.run("").output, HasSubstr("Last check   none yet"));
  toy.install_check(toy_result(run_verdict::no_overlap));
  toy.run("check");
  const program_result result = toy.run("");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("Last check   no overlap, 0 of 100 points\n"));
  EXPECT_THAT(result.output,
              HasSubstr("edit lessons/01_first_steps/first_steps.cu, then: ./streamlings check 01"));
}

TEST(Runner, StatusAfterAPassLeadsOn) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check");
  EXPECT_THAT(toy.run("").output, HasSubstr("go on: ./streamlings next"));
}

TEST(Runner, NextAndPrevMoveTheCurrentLessonAndStopAtTheEnds) {
  const toy_course toy;
  EXPECT_EQ(toy.run("prev").exit_status, 2);
  EXPECT_THAT(toy.run("next").output, StartsWith("Lesson 02 next_steps"));
  EXPECT_THAT(toy.run("list").output, HasSubstr("> 02"));
  EXPECT_THAT(toy.run("next").errors, HasSubstr("is the last one"));
  EXPECT_THAT(toy.run("prev").output, StartsWith("Lesson 01 First steps"));
}

TEST(Runner, CheckPrintsTheVerdictAndItsExitStatus) {
  const toy_course toy;
  const std::pair<run_verdict, int> expected[] = {{run_verdict::pass, 0},
                                                  {run_verdict::wrong_answer, 1},
                                                  {run_verdict::inconclusive, 2},
                                                  {run_verdict::timeout, 3}};
  for (const auto& [verdict, status] : expected) {
    toy.install_check(toy_result(verdict));
    const program_result result = toy.run("check 1");
    EXPECT_EQ(result.exit_status, status) << report::word_of(verdict);
    EXPECT_THAT(result.output, StartsWith("Lesson 01 First steps: "));
    EXPECT_THAT(result.errors, IsEmpty());
  }
}

TEST(Runner, CheckHandsItsOptionsToTheCheckProgram) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1 --seed 18446744073709551615 --profile h200 --compiler clang++");
  const std::string root = toy.root().string();
  EXPECT_EQ(toy.read("arguments.txt"), "run --source " + toy.source().string() + " --record " +
                                           toy.record().string() + "-h200 --profile " + root +
                                           "/checker/device/profiles/h200.json" +
                                           " --seed 18446744073709551615 --compiler clang++\n");
}

TEST(Runner, CheckOfTheSolutionHasARecordOfItsOwnAndDoesNotCountAsDone) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.write("solutions/01_first_steps/first_steps.cu", "int solved;\n");
  EXPECT_EQ(toy.run("check 1 --solution").exit_status, 0);
  EXPECT_THAT(toy.read("arguments.txt"), HasSubstr("/solutions/01_first_steps/first_steps.cu --record"));
  EXPECT_THAT(toy.read("arguments.txt"), HasSubstr("/records/01-solution\n"));
  EXPECT_THAT(toy.run("list").output, HasSubstr("0 of 2 done"));
}

TEST(Runner, CheckAsJsonIsTheRecord) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::race_detected));
  const program_result result = toy.run("check 1 --json");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(nlohmann::json::parse(result.output).at("verdict"), "race_detected");
}

TEST(Runner, CheckOfAllTellsEveryLessonInTheOrderOfTheCourse) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.install_check_script("02", "exit 9\n");
  const program_result result = toy.run("check --all");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output,
            "[pass] 01 First steps\n[ -- ] 02 next_steps: infra error, 0 points\n\n1 of 2 lessons passed.\n");
  EXPECT_THAT(result.errors, HasSubstr("the check of lesson 02 did not come to a verdict"));
  EXPECT_THAT(toy.run("list").output, HasSubstr("First steps  done"));
}

TEST(Runner, CheckOfAllAsJsonHoldsTheRecords) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::no_overlap));
  toy.install_check_script("02", "exit 9\n");
  const program_result result = toy.run("check --all --json");
  EXPECT_EQ(result.exit_status, 1);
  const auto printed_json = nlohmann::json::parse(result.output);
  EXPECT_EQ(printed_json["version"], 1);
  ASSERT_EQ(printed_json["results"].size(), 1);
  EXPECT_EQ(printed_json["results"][0]["verdict"], "no_overlap");
}

TEST(Runner, CheckAsDiagnosticsNamesTheLineOfEachFailure) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::no_overlap);
  record.criteria.push_back(record.criteria.front());
  record.criteria.back().name = "StepsAreCounted";
  record.criteria.back().why.where.clear();
  toy.install_check(record);
  const program_result result = toy.run("check 1 --diagnostics");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(
      result.output,
      "lessons/01_first_steps/first_steps.cu:1:1: error: StepsAreTaken: required: Ten steps. seen: Nine "
      "steps.\n"
      "lessons/01_first_steps/first_steps.cu:1:1: error: StepsAreCounted: required: Ten steps. seen: Nine "
      "steps.\n");
}

TEST(Runner, CheckAsDiagnosticsMakesANoteOfEachFurtherLine) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::race_detected);
  record.criteria.front().why.where = "first_steps.cu:19, first_steps.cu:25";
  toy.install_check(record);
  EXPECT_THAT(
      toy.run("check 1 --diagnostics").output,
      testing::AllOf(
          testing::StartsWith("lessons/01_first_steps/first_steps.cu:19:1: error: StepsAreTaken: required: "),
          testing::EndsWith(
              "\nlessons/01_first_steps/first_steps.cu:25:1: note: StepsAreTaken: see here too\n")));
}

TEST(Runner, CheckAsDiagnosticsMakesANoteOfEachCaller) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::race_detected);
  record.criteria.front().why.where = "first_steps.cu:19";
  record.criteria.front().why.called_from = {{"first_steps.cu:19", {"first_steps.cu:31"}}};
  toy.install_check(record);
  EXPECT_THAT(toy.run("check 1 --diagnostics").output,
              testing::HasSubstr(
                  "\nlessons/01_first_steps/first_steps.cu:31:1: note: StepsAreTaken: called from here\n"));
}

TEST(Runner, CheckAsDiagnosticsOfAPassOrACompilerErrorAddsNothing) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_EQ(toy.run("check 1 --diagnostics").output, "");
  report::result record = toy_result(run_verdict::compile_error);
  record.criteria.clear();
  record.compiler_output = "first_steps.cu:7:3: error: no\n";
  toy.install_check(record);
  EXPECT_EQ(toy.run("check 1 --diagnostics").output, "first_steps.cu:7:3: error: no\n");
}

/// What bash offers for the last of these words.
std::string completed(const toy_course& toy, const std::string& words) {
  toy.write("complete.sh", toy.run("completion bash").output + "COMP_WORDS=(./streamlings " + words +
                               ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_streamlings\n"
                               "printf '%s ' \"${COMPREPLY[@]}\" > \"$1\"\n");
  const std::string answer = (toy.root() / "answer.txt").string();
  EXPECT_EQ(std::system(("bash '" + (toy.root() / "complete.sh").string() + "' '" + answer + "'").c_str()),
            0);
  return toy.read("answer.txt");
}

TEST(Runner, UnknownVerbIsNamed) {
  const toy_course toy;
  const program_result result = toy.run("frobnicate");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("there is no verb 'frobnicate'. ./streamlings --help lists all."));
}

TEST(Runner, CompletionKnowsVerbsOptionsLessonsAndValues) {
  const toy_course toy;
  EXPECT_EQ(completed(toy, "ca"), "calibrate ");
  EXPECT_EQ(completed(toy, "check --sol"), "--solution ");
  EXPECT_EQ(completed(toy, "set"), "setup ");
  EXPECT_EQ(completed(toy, "setup --d"), "--dev ");
  EXPECT_EQ(completed(toy, "check fi"), "first_steps ");
  EXPECT_EQ(completed(toy, "check 01 --profile t"), "teaching ");
  EXPECT_EQ(completed(toy, "check --backend ''"), "virtual gpu ");
  EXPECT_EQ(completed(toy, "run --schedule slow-c"), "slow-copies ");
  EXPECT_EQ(completed(toy, "timeline -o ''"), " ");
}

TEST(Runner, CompletionForZshIsOneFunction) {
  const toy_course toy;
  EXPECT_THAT(toy.run("completion zsh").output, StartsWith("#compdef streamlings\n"));
  EXPECT_EQ(toy.run("completion fish").exit_status, 2);
}

TEST(Runner, DoctorNamesWhatIsMissingWithItsCure) {
  const toy_course toy;
  toy.write("streamlings", "#!/bin/sh\necho libfmt-dev\nexit 1\n");
  std::filesystem::permissions(toy.root() / "streamlings", std::filesystem::perms::owner_all);
  const program_result result = toy.run("doctor");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("[MISS] packages      not installed: libfmt-dev\n"));
  EXPECT_THAT(result.output, HasSubstr("streamlings-compile is not built"));
  EXPECT_THAT(result.output, HasSubstr("[ ok ] saves         Linux tells of them (inotify)\n"));
  EXPECT_THAT(result.output, HasSubstr("cure: ./streamlings setup\n"));
}

TEST(Runner, DoctorAsJsonHasAVersion) {
  const toy_course toy;
  const auto result = nlohmann::json::parse(toy.run("doctor --json").output);
  EXPECT_EQ(result["version"], 1);
  EXPECT_EQ(result["symptoms"][0]["topic"], "compiler");
}

TEST(Runner, ACheckThatDoesNotCompileStillHasAReport) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::compile_error);
  record.criteria.clear();
  record.compiler_output = "first_steps.cu:1:1: error: what is this?\n";
  toy.install_check(record);
  toy.install_check_script("01", "cp \"$STREAMLINGS_ROOT\"/prepared/* \"$5\"; exit 1\n");
  const program_result result = toy.run("check 1");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, HasSubstr("error: what is this?"));
}

TEST(Runner, ACheckProgramThatFailsIsReportedWithItsWords) {
  const toy_course toy;
  toy.install_check_script("01", "echo the disk is full; exit 2\n");
  const program_result result = toy.run("check 1");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("the disk is full"));
}

TEST(Runner, ACheckProgramThatLeavesNoRecordIsReported) {
  const toy_course toy;
  toy.install_check_script("01", "exit 0\n");
  const program_result result = toy.run("check 1");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("left no record"));
}

TEST(Runner, ACheckProgramThatIsNotBuiltLeadsToSetup) {
  const program_result result = toy_course().run("check 1");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("streamlings-check is not built"));
  EXPECT_THAT(result.errors, HasSubstr("./streamlings setup"));
}

TEST(Runner, AnUnknownProfileIsAnsweredWithTheList) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_THAT(toy.run("check 1 --profile g80").errors, HasSubstr("The profiles are: h200, teaching"));
}

TEST(Runner, TheRealGpuHasNoProfileToChoose) {
  const program_result result = toy_course().run("check 1 --backend gpu --profile h200");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("--profile chooses what the virtual GPU is"));
}

TEST(Runner, WhatTheGpuSaysDoesNotFinishALesson) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_EQ(toy.run("check 1 --backend gpu").exit_status, 0);
  EXPECT_THAT(toy.run("").output, HasSubstr("0 of"));
  EXPECT_TRUE(std::filesystem::exists(toy.root() / ".streamlings/records/01-gpu/result.json"));
}

TEST(Runner, HintsComeOneByOneThoseForTheFailedCriterionFirst) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::no_overlap));
  toy.run("check 1");
  EXPECT_THAT(toy.run("hint 1").output,
              StartsWith("Hint 1 of 3, for StepsAreTaken: Wait once\n\nWait for the stream.\n"));
  EXPECT_THAT(toy.run("hint 1").output, StartsWith("Hint 2 of 3: Look around"));
  EXPECT_THAT(toy.run("hint 1").output, StartsWith("Hint 3 of 3: Everything"));
  const program_result result = toy.run("hint 1");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, StartsWith("You have seen every hint."));
}

TEST(Runner, AVerdictWithoutAHintOfItsOwnIsLeftToTheReport) {
  const toy_course toy;
  report::result crashed = toy_result(run_verdict::crashed);
  crashed.criteria.clear();
  toy.install_check(crashed);
  toy.run("check 1");
  EXPECT_THAT(toy.run("hint 1").output, testing::AllOf(StartsWith("No hint left is about \"crashed\""),
                                                       HasSubstr("\n\nHint 1 of 3: Look around")));
}

TEST(Runner, AfterAPassNoHintIsNeeded) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1");
  EXPECT_THAT(toy.run("hint 1").output, HasSubstr("passed, so no hint is needed"));
  EXPECT_THAT(toy.run("hint 1 --level 1").output, StartsWith("Hint 1 of 3"));
}

TEST(Runner, ACopyWithoutSolutionsSaysSo) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  for (const char* command : {"compare 1", "check 1 --solution", "timeline 1 --solution"}) {
    const program_result result = toy.run(command);
    EXPECT_EQ(result.exit_status, 2) << command;
    EXPECT_THAT(result.errors, HasSubstr("without solutions")) << command;
  }
}

TEST(Runner, HintsCanBeAskedForByLevelOrAllAtOnce) {
  const toy_course toy;
  EXPECT_THAT(toy.run("hint 1 --level 3").output, StartsWith("Hint 3 of 3"));
  EXPECT_EQ(toy.run("hint 1 --level 4").exit_status, 2);
  const program_result all = toy.run("hint 1 --all");
  for (const char* heading : {"Look around", "Wait once", "Everything"})
    EXPECT_THAT(all.output, HasSubstr(heading));
  EXPECT_EQ(toy.run("hint 2").exit_status, 2) << "a lesson without hints";
}

TEST(Runner, ResetPutsTheFileBackAndKeepsTheLearnersOne) {
  const toy_course toy;
  toy.write("lessons/01_first_steps/first_steps.cu", "int mine;\n");
  const program_result result = toy.run("reset 1");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "// TODO 1\n");
  const std::string kept = "Your file is kept as ";
  ASSERT_THAT(result.output, StartsWith(kept));
  EXPECT_EQ(toy.read(result.output.substr(kept.size(), result.output.find('\n') - kept.size())),
            "int mine;\n");
}

TEST(Runner, UndoneResetsBringBackTheFileAndThatItIsDone) {
  const toy_course toy;
  toy.write("lessons/01_first_steps/first_steps.cu", "int mine;\n");
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1");
  EXPECT_THAT(toy.run("reset 1").output, HasSubstr("./streamlings reset 01 --undo"));
  EXPECT_THAT(toy.run("list").output, HasSubstr("First steps  untouched"));
  EXPECT_EQ(toy.run("reset 1 --undo").exit_status, 0);
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "int mine;\n");
  EXPECT_THAT(toy.run("list").output, HasSubstr("First steps  done"));
}

TEST(Runner, UndoingAResetKeepsWhatWasWrittenSince) {
  const toy_course toy;
  toy.write("lessons/01_first_steps/first_steps.cu", "int mine;\n");
  toy.run("reset 1");
  toy.write("lessons/01_first_steps/first_steps.cu", "int second;\n");
  EXPECT_THAT(toy.run("reset 1 --undo").output, StartsWith("What it held is kept as "));
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "int mine;\n");
  toy.run("reset 1 --undo");
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "int second;\n");
}

TEST(Runner, WithoutAKeptCopyThereIsNothingToUndo) {
  const toy_course toy;
  const program_result result = toy.run("reset 1 --undo");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("no kept copy"));
}

TEST(Runner, ResetNeverOverwritesABackup) {
  const toy_course toy;
  for (const char* content : {"int a;\n", "int b;\n", "int c;\n"}) {
    toy.write("lessons/01_first_steps/first_steps.cu", content);
    toy.run("reset 1");
  }
  const auto backups = std::filesystem::directory_iterator(toy.root() / ".streamlings/backup");
  EXPECT_EQ(std::distance(begin(backups), end(backups)), 3);
}

TEST(Runner, ResetOfAnUntouchedFileDoesNothing) {
  const toy_course toy;
  EXPECT_THAT(toy.run("reset 1").output, HasSubstr("nothing to do"));
  EXPECT_FALSE(std::filesystem::exists(toy.root() / ".streamlings/backup"));
}

TEST(Runner, ResetBringsBackAMissingFile) {
  const toy_course toy;
  std::filesystem::remove(toy.source());
  EXPECT_EQ(toy.run("reset 1").exit_status, 0);
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "// TODO 1\n");
}

TEST(Runner, TimelineDrawsTheLastRunWithoutANewCheck) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("check 1");
  std::filesystem::remove(toy.root() / "arguments.txt");
  const program_result result = toy.run("timeline 1 --width 80");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("cudaDeviceSynchronize"));
  EXPECT_EQ(toy.read("arguments.txt"), "");
}

TEST(Runner, TimelineChecksFirstWhenThereIsNoRecordOrTheFileHasChanged) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_EQ(toy.run("timeline 1").exit_status, 0);
  EXPECT_THAT(toy.read("arguments.txt"), Not(IsEmpty()));
  std::filesystem::remove(toy.root() / "arguments.txt");
  toy.write("lessons/01_first_steps/first_steps.cu", "int changed;\n");
  toy.run("timeline 1");
  EXPECT_THAT(toy.read("arguments.txt"), Not(IsEmpty()));
}

TEST(Runner, TimelineIsWrittenIntoAFile) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  const program_result result = toy.run("timeline 1 --ascii -o '" + (toy.root() / "run.txt").string() + "'");
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(toy.read("run.txt"), HasSubstr("|cudaDeviceSynchronize..."));
}

TEST(Runner, TimelineOfARunWithoutARecordingShowsWhy) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::crashed);
  record.recording.clear();
  toy.install_check(record);
  const program_result result = toy.run("timeline 1");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("the run left no recording"));
}

TEST(Runner, AnotherTimelineFormatIsAnsweredWithThoseThereAre) {
  const program_result result = toy_course().run("timeline 1 --format png");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("text,svg,html,perfetto"));
}

TEST(Runner, TimelineIsDrawnInEachFormat) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_THAT(toy.run("timeline 1 --format svg").output, StartsWith("<svg "));
  EXPECT_THAT(toy.run("timeline 1 --format html").output, StartsWith("<!DOCTYPE html>"));
  EXPECT_TRUE(nlohmann::json::parse(toy.run("timeline 1 --format perfetto").output).contains("traceEvents"));
}

TEST(Runner, WidthOfATimelineIsRefusedWhereItMeansNothing) {
  const program_result result = toy_course().run("timeline 1 --format svg --width 80");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("--width"));
}

TEST(Runner, TimelineOnAnotherGpuHasARecordOfItsOwn) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("timeline 1");
  std::filesystem::remove(toy.root() / "arguments.txt");
  toy.run("timeline 1 --profile teaching");
  EXPECT_EQ(toy.read("arguments.txt"), "");
  toy.run("timeline 1 --profile h200");
  EXPECT_THAT(toy.read("arguments.txt"), HasSubstr("h200.json"));
  EXPECT_TRUE(std::filesystem::exists(toy.root() / ".streamlings/records/01-h200/result.json"));
  std::filesystem::remove(toy.root() / "arguments.txt");
  toy.run("timeline 1");
  EXPECT_EQ(toy.read("arguments.txt"), "") << "the first record is still there";
}

TEST(Runner, CompareDrawsYoursAndTheSolutionOnTheSameGpu) {
  const toy_course toy;
  toy.write("solutions/01_first_steps/first_steps.cu", toy.read("lessons/01_first_steps/first_steps.cu"));
  toy.install_check(toy_result(run_verdict::no_overlap));
  const program_result result = toy.run("compare 1 --profile h200");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_LT(result.output.find("Yours\n"), result.output.find("The solution\n"));
  EXPECT_THAT(result.output, HasSubstr("as long as the solution's 100 us."));
  const std::string arguments = toy.read("arguments.txt");
  EXPECT_NE(arguments.find("h200.json"), arguments.rfind("h200.json")) << "both";
}

TEST(Runner, CompareAndExplainSayThatTheRunIsWrong) {
  const toy_course toy;
  toy.write("solutions/01_first_steps/first_steps.cu", toy.read("lessons/01_first_steps/first_steps.cu"));
  toy.install_check(toy_result(run_verdict::race_detected));
  const std::string doubt = "The verdict on this run is \"race detected\", so its times mean little.";
  EXPECT_THAT(toy.run("compare 1").output, HasSubstr(doubt));
  EXPECT_THAT(toy.run("explain 1").output, StartsWith(doubt));
}

TEST(Runner, CompareDrawsAsWideAsAsked) {
  const toy_course toy;
  toy.write("solutions/01_first_steps/first_steps.cu", toy.read("lessons/01_first_steps/first_steps.cu"));
  toy.install_check(toy_result(run_verdict::pass));
  EXPECT_NE(toy.run("compare 1 --width 60").output, toy.run("compare 1 --width 90").output);
  EXPECT_EQ(toy.run("compare 1 --width 60 --format html").exit_status, 2);
}

TEST(Runner, CompareWritesAPageWithBothDrawings) {
  const toy_course toy;
  toy.write("solutions/01_first_steps/first_steps.cu", toy.read("lessons/01_first_steps/first_steps.cu"));
  toy.install_check(toy_result(run_verdict::pass));
  toy.run("compare 1 --format html -o '" + (toy.root() / "page.html").string() + "'");
  const std::string page = toy.read("page.html");
  EXPECT_LT(page.find(R"("heading":"Yours")"), page.find(R"("heading":"The solution")"));
}

TEST(Runner, CompareWithoutARecordingShowsWhy) {
  const toy_course toy;
  report::result record = toy_result(run_verdict::crashed);
  record.recording.clear();
  toy.install_check(record);
  const program_result result = toy.run("compare 1");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("your run left no recording"));
}

TEST(Runner, RunWantsAFileForADrawing) {
  const program_result result = toy_course().run("run any.cu --timeline svg");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("needs -o FILE"));
}

TEST(Runner, DrawingsWithALeastLengthShareOneScale) {
  report::timeline_options look;
  EXPECT_THAT(drawn_timeline("svg", toy_recording(), "", look), testing::Not(HasSubstr(">4000</text>")));
  look.length = std::chrono::microseconds(5000);
  EXPECT_THAT(drawn_timeline("svg", toy_recording(), "", look), HasSubstr(">4000</text>"));
}

TEST(Runner, OnlyDrawingsOfOnePictureHaveALeastLength) {
  const program_result result = toy_course().run("run any.cu --timeline html -o run.html --axis-us 5000");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("--axis-us is for --timeline text and svg"));
}

TEST(Runner, ProfilesAreListedWithTheirDevices) {
  const toy_course toy;
  const program_result result = toy.run("profiles");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("h200          NVIDIA H200\n"));
  EXPECT_THAT(result.output, HasSubstr("teaching      Teaching GPU\n"));
  EXPECT_EQ(nlohmann::json::parse(toy.run("profiles --json").output)[0]["device"], "NVIDIA H200");
}

/// A stand-in compiler: its "program" is the source file itself, a shell script, where -o says.
constexpr auto compiler = "cp \"$3\" \"$2\" && chmod +x \"$2\"\n";

TEST(Runner, RunEndsWithTheStatusOfTheProgram) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", compiler);
  toy.write("seven.cu", "#!/bin/sh\necho \"$1 $2\"; echo oops >&2; exit 7\n");
  const program_result result = toy.run("run '" + (toy.root() / "seven.cu").string() + "' -- --json two");
  EXPECT_EQ(result.exit_status, 7);
  EXPECT_EQ(result.output, "--json two\n");
  EXPECT_THAT(result.errors, HasSubstr("oops"));
}

TEST(Runner, WhatRunCompiledIsKeptForTheNextTime) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "echo \"$STREAMLINGS_CACHE\"; exit 1\n");
  toy.write("saxpy.cu", "");
  EXPECT_EQ(toy.run("run '" + (toy.root() / "saxpy.cu").string() + "'").errors,
            (toy.root() / ".streamlings/cache").string() + '\n');
}

TEST(Runner, AVerdictIsShownThoughTheStateCannotBeSaved) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  std::filesystem::create_directories(toy.root() / ".streamlings/state.txt");  // no file can take its place
  const program_result result = toy.run("check 1");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("First steps"));
  EXPECT_THAT(result.errors, HasSubstr("your progress is not saved"));
}

TEST(Runner, AVerdictIsShownThoughItsRecordCannotBeKept) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  std::filesystem::create_directories(toy.root() / ".streamlings");
  toy.write(".streamlings/records", "a file where the folder of records belongs");
  const program_result result = toy.run("check 1");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("First steps: PASSED"));
  EXPECT_THAT(result.errors, HasSubstr("the record is not kept. " + toy.record().string() +
                                       " cannot be made: Not a directory."));
  EXPECT_THAT(toy.run("check --all").output, HasSubstr("1 of 2 lessons passed."));
}

TEST(Runner, AnotherFileIsCheckedInThePlaceOfTheLessonsOwnAndNothingIsKept) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.write("elsewhere/answer.cu", "int answer;\n");
  const std::string file = (toy.root() / "elsewhere/answer.cu").string();
  EXPECT_EQ(toy.run("check 1 --file " + file).exit_status, 0);
  EXPECT_THAT(toy.read("arguments.txt"), StartsWith("run --source " + file + " --record /"));
  EXPECT_THAT(toy.read("arguments.txt"), Not(HasSubstr(toy.record().string())));
  EXPECT_FALSE(std::filesystem::exists(toy.record()));
  EXPECT_THAT(toy.run("list").output, HasSubstr("0 of 2 done"));
}

TEST(Runner, AFileWithoutALessonIsCheckedForTheOneWhoseHeaderItIncludes) {
  const toy_course toy;
  const std::string checked = (toy.root() / "checked.txt").string();
  toy.install_check_script("01", "echo first > '" + checked + "'\n");
  toy.install_check_script("02", "echo next > '" + checked + "'\n");
  toy.write("elsewhere/answer.cu", "#include \"next_steps.h\"\n");
  toy.run("check --file " + (toy.root() / "elsewhere/answer.cu").string());
  EXPECT_EQ(toy.read("checked.txt"), "next\n");
}

TEST(Runner, OnlyACudaFileThatIsThereIsCheckedInThePlaceOfTheLessons) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  toy.write("elsewhere/answer.cpp", "int answer;\n");
  for (const auto& [file, problem] : {std::pair("elsewhere/answer.cpp", "is not a .cu file."),
                                      std::pair("elsewhere/none.cu", "does not exist.")}) {
    const program_result result = toy.run("check 1 --file " + (toy.root() / file).string());
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.errors, HasSubstr(problem));
  }
  EXPECT_EQ(toy.run("check 1 --solution --file x.cu").exit_status, 2);
  EXPECT_EQ(toy.run("check --all --file x.cu").exit_status, 2);
}

TEST(Runner, AFullStandardOutputIsAFailure) {
  const toy_course toy;
  const std::string root_words = "STREAMLINGS_ROOT='" + toy.root().string() + "' ";
  // A short output fails when it is flushed, a long one when it is printed.
  for (const std::string verb : {"list", "completion bash"}) {
    const std::string errors = (toy.root() / "errors").string();
    const int status = std::system(
        (root_words + STREAMLINGS_PROGRAM + " " + verb + " > /dev/full 2> '" + errors + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << verb;
    EXPECT_THAT(toy.read("errors"), HasSubstr("No space left on device. Make room")) << verb;
  }
}

TEST(Runner, AnOutputIsWrittenThroughALink) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::pass));
  std::filesystem::create_symlink("target", toy.root() / "link");
  EXPECT_EQ(toy.run("timeline 1 -o '" + (toy.root() / "link").string() + "'").exit_status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(toy.root() / "link"));
  EXPECT_NE(toy.read("target"), "");
  EXPECT_EQ(toy.run("timeline 1 -o /dev/null").exit_status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(toy.run("timeline 1 -o '" + (toy.root() / "no/such/folder").string() + "'").errors,
              HasSubstr("Make the folder first"));
}

TEST(Runner, ASeedIsAWholeNumberOf64Bits) {
  const toy_course toy;
  for (const std::string seed : {"-5", "18446744073709551616", "1.5", "x"}) {
    const program_result result = toy.run("check 1 --seed=" + seed);
    EXPECT_EQ(result.exit_status, 2) << seed;
    EXPECT_THAT(result.errors, HasSubstr("no whole number from 0")) << seed;
  }
}

TEST(Runner, AnUndoneResetDoesNotDependOnTheClock) {
  const toy_course toy;
  toy.write("lessons/01_first_steps/first_steps.cu", "first\n");
  toy.run("reset 1");
  // As if the clock had been set back since.
  const std::filesystem::path backup = toy.root() / ".streamlings/backup";
  std::filesystem::rename(std::filesystem::directory_iterator(backup)->path(),
                          backup / "first_steps-2999-01-01-000000-0001.cu");
  toy.write("lessons/01_first_steps/first_steps.cu", "second\n");
  toy.run("reset 1");
  toy.run("reset 1 --undo");
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), "second\n");
}

TEST(Runner, AMalformedProfileIsNamedBeforeAnythingIsCompiled) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "echo compiled >&2; exit 1\n");
  toy.write("mine.json", "{");
  const program_result result = toy.run("run a.cu --profile '" + (toy.root() / "mine.json").string() + "'");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("mine.json"));
  EXPECT_THAT(result.errors, Not(HasSubstr("compiled")));
}

TEST(Runner, RunTellsTheProgramItsProfileAndSchedule) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", compiler);
  // The settings wait on descriptor 4, where no variable tells of them.
  toy.write("show.cu",
            "#!/bin/sh\nenv | grep STREAMLINGS_\ndd bs=65536 count=1 <&4 2>/dev/null | tr -cd '[:print:]'\n");
  const program_result result =
      toy.run("run '" + (toy.root() / "show.cu").string() + "' --profile h200 --schedule slow-copies");
  EXPECT_THAT(result.output, HasSubstr(toy.root().string() + "/checker/device/profiles/h200.json"));
  EXPECT_THAT(result.output, HasSubstr("slow-copies"));
  EXPECT_THAT(result.output, Not(HasSubstr("STREAMLINGS_")));
}

TEST(Runner, RunEndsAsAShellDoesWhenTheProgramCrashes) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", compiler);
  toy.write("crash.cu", "#!/bin/sh\nkill -SEGV $$\n");
  EXPECT_EQ(toy.run("run '" + (toy.root() / "crash.cu").string() + "'").exit_status, 128 + 11);
}

TEST(Runner, RunShowsWhatTheCompilerSaysAndEndsWithOne) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "echo 'error: not C++' >&2; exit 1\n");
  const program_result result = toy.run("run broken.cu");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("error: not C++"));
}

TEST(Runner, RunHandsOptionsOfNvccToTheCompiler) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "shift 2; echo \"$@\"; exit 1\n");
  EXPECT_EQ(toy.run("run -O3 a.cu b.cu -I inc -DX=1 --devices 2 -std=c++20 --compiler clang++ -lm").errors,
            "-ccbin clang++ a.cu b.cu -O3 -I inc -DX=1 -std=c++20 -lm\n");
}

TEST(Runner, RunTakesAProgramThatIsCompiledAlready) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "echo compiled; exit 1\n");
  EXPECT_EQ(toy.run("run /bin/true").output, "");
  const program_result result = toy.run("run /bin/true -O3");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("is a program already"));
}

TEST(Runner, RunLooksAtItsFilesFirst) {
  const toy_course toy;
  toy.install_script("streamlings-nvcc", "echo compiled >&2; exit 1\n");
  const auto errors = [&toy](const std::string& words) {
    const program_result result = toy.run("run " + words);
    EXPECT_EQ(result.exit_status, 2);
    return result.errors;
  };
  EXPECT_THAT(errors("saxpy.cu hello"),
              HasSubstr("hello is neither a source file nor a program of streamlings-nvcc. What your program "
                        "itself gets stands behind --: streamlings run saxpy.cu -- hello"));
  EXPECT_THAT(errors("/tmp"), HasSubstr("/tmp is a folder"));
  for (const char* option : {"--record", "--json", "--timeline svg -o"})
    EXPECT_THAT(errors(fmt::format("saxpy.cu {} /nowhere/at/all", option)),
                HasSubstr("there is no folder /nowhere/at."));
}

TEST(Runner, TheHelpOfRunNamesEachExitStatus) {
  const std::string help = toy_course().run("run --help").output;
  for (const char* words :
       {"1 when it does not compile", "2 when it could not be run", "3 when --limit", "deadlock"})
    EXPECT_THAT(help, HasSubstr(words));
}

TEST(Runner, RunRefusesAnUnknownSchedule) {
  EXPECT_EQ(toy_course().run("run a.cu --schedule late").exit_status, 2);
}

TEST(Runner, NothingIsColouredWithoutATerminal) {
  const toy_course toy;
  toy.install_check(toy_result(run_verdict::wrong_answer));
  EXPECT_EQ(toy.run("check 1").output.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace runner
