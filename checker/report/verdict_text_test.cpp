#include "report/verdict_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/golden.h"
#include "report/sample_runs.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_text.h"

namespace report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

criterion_result passed(const std::string& name, const std::string& title, int points,
                        const std::string& note = "") {
  criterion_result made;
  made.name = name;
  made.title = title;
  made.points = points;
  made.verdict = criterion_verdict::pass;
  made.note = note;
  return made;
}

criterion_result failed(const std::string& name, const std::string& title, int points, run_verdict failure,
                        evidence why) {
  criterion_result made = passed(name, title, points);
  made.verdict = criterion_verdict::fail;
  made.failure = failure;
  made.why = std::move(why);
  return made;
}

criterion_result unseen(const std::string& name, const std::string& title, int points,
                        const std::string& reason) {
  criterion_result made = passed(name, title, points, reason);
  made.verdict = criterion_verdict::not_observable;
  return made;
}

result lesson_three() {
  result result;
  result.lesson = 3;
  result.slug = "async_copy";
  result.title = "Asynchronous copies";
  result.source = "lessons/03_async_copy/async_copy.cu";
  result.backend = "virtual";
  result.profile = "teaching";
  result.seed = 20261121;
  result.schedules = {"as-is", "slow-copies", "slow-kernels", "late-pageable"};
  return result;
}

TEST(Verdict, OfACallThatOnlyTheDocumentationForbidsDoesNotSayThatItFailed) {
  result result = lesson_three();
  result.verdict = run_verdict::cuda_error;
  result.criteria = {failed("EveryCellIsRight", "every cell is right", 20, run_verdict::cuda_error, {})};
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("A CUDA call returned an error."));
  result.criteria.front().mistake = "wrong_device";
  EXPECT_THAT(verdict_text(result, {}), Not(HasSubstr("returned an error")));
}

result passed_lesson() {
  result result = lesson_three();
  result.verdict = run_verdict::pass;
  result.criteria = {
      passed("EveryElementIsRight", "every element of every batch is right", 25),
      passed("WorkIsOrdered", "nothing is right by luck", 25),
      passed("CopiesOverlapKernels", "copies run while kernels run", 50, "0.89, required 0.60")};
  result.timeline = timeline_text(overlapped_sample(), {});
  return result;
}

result lesson_without_overlap() {
  result result = lesson_three();
  result.verdict = run_verdict::no_overlap;
  result.criteria = {
      passed("EveryElementIsRight", "every element of every batch is right", 25),
      unseen("WorkIsOrdered", "nothing is right by luck", 25,
             "this backend does not see which bytes are touched"),
      failed("HostWaitsOnce", "the host waits once, at the end", 15, run_verdict::too_slow,
             {"At most one call that waits.",
              "6 calls waited; the first was cudaMemcpy, which held the host for 110 us.", "async_copy.cu:31",
              "lessons/03_async_copy/README.md, \"One wait\""}),
      failed(
          "CopiesOverlapKernels", "copies run while kernels run", 35, run_verdict::no_overlap,
          {"Copies run during at least 60 % of the time in which kernels run.",
           "0 %. Copy 2 to the GPU (default stream, 320 us to 430 us) waited for kernel scale 1 to end, because both "
           "are in the same stream.",
           "async_copy.cu:31", "lessons/03_async_copy/README.md, \"Two lanes\""})};
  result.why = result.criteria.back().why;
  result.program_output = "batch 0\nbatch 1\nbatch 2\n";
  result.timeline = timeline_text(serial_sample(), {});
  return result;
}

result lesson_that_does_not_compile() {
  result result = lesson_three();
  result.verdict = run_verdict::compile_error;
  result.compiler_output =
      "lessons/03_async_copy/async_copy.cu: In function 'void process_batches(const batches&)':\n"
      "lessons/03_async_copy/async_copy.cu:31:9: error: 'cudaMemcpyAsinc' was not declared in this scope; did you mean "
      "'cudaMemcpyAsync'?\n";
  return result;
}

result lesson_that_crashed() {
  result result = lesson_three();
  result.verdict = run_verdict::crashed;
  result.why = {"The program runs to its end.", "It ended by signal 11 (segmentation fault).",
                "async_copy.cu:40", "Is every pointer that host code follows a host pointer?"};
  result.program_output = "before\n";
  return result;
}

TEST(VerdictText, PassLooksAsAgreed) { expect_golden("verdict_pass.txt", verdict_text(passed_lesson(), {})); }
TEST(VerdictText, NoOverlapLooksAsAgreed) {
  expect_golden("verdict_no_overlap.txt", verdict_text(lesson_without_overlap(), {}));
}
TEST(VerdictText, NoOverlapInColourLooksAsAgreed) {
  expect_golden("verdict_no_overlap_colour.txt",
                verdict_text(lesson_without_overlap(), {.colour = colour::on, .with_timeline = false}));
}
TEST(VerdictText, CompileErrorLooksAsAgreed) {
  expect_golden("verdict_compile_error.txt", verdict_text(lesson_that_does_not_compile(), {.width = 80}));
}
TEST(VerdictText, CrashLooksAsAgreed) {
  expect_golden("verdict_crashed.txt", verdict_text(lesson_that_crashed(), {}));
}
TEST(VerdictText, OneCriterionLooksAsAgreed) {
  expect_golden("criterion_failed.txt", criterion_text(lesson_without_overlap(), "CopiesOverlapKernels", {}));
}

TEST(VerdictText, TheDecidingReasonComesFirstAndOnlyOnce) {
  const std::string text = verdict_text(lesson_without_overlap(), {.with_timeline = false});
  const std::size_t deciding = text.find("Why CopiesOverlapKernels failed");
  ASSERT_NE(deciding, std::string::npos);
  EXPECT_LT(deciding, text.find("Why HostWaitsOnce failed"));
  EXPECT_EQ(text.find("waited for kernel scale 1"), text.rfind("waited for kernel scale 1"));
}

TEST(VerdictText, WhatCanBeTheCauseComesBeforeTheDecidingReason) {
  result result = lesson_three();
  criterion_result data =
      failed("EveryElementIsRight", "all is right", 50, run_verdict::wrong_answer, {"", "wrong", "", ""});
  data.comes_of = "WorkIsOrdered";
  result.criteria = {data, failed("WorkIsOrdered", "all is in order", 50, run_verdict::race_detected,
                                  {"", "a race", "", ""})};
  result.verdict = verdict_of(result.criteria);
  const std::string text = verdict_text(result, {});
  EXPECT_LT(text.find("Why WorkIsOrdered failed"), text.find("Why EveryElementIsRight failed"));
}

TEST(VerdictText, EveryVerdictHasWordsAndANextStep) {
  for (int value = 0; value <= static_cast<int>(run_verdict::pass); ++value) {
    result result = lesson_three();
    result.verdict = static_cast<run_verdict>(value);
    EXPECT_THAT(verdict_text(result, {}), HasSubstr("\nNext\n  ")) << word_of(result.verdict);
  }
}

TEST(VerdictText, WhatDoesNotCountAgainstTheLearnerSaysSo) {
  for (const run_verdict verdict :
       {run_verdict::infra_error, run_verdict::inconclusive, run_verdict::not_measurable}) {
    result result = lesson_three();
    result.verdict = verdict;
    const std::string text = verdict_text(result, {});
    EXPECT_THAT(text, HasSubstr("does not count against you"));
    EXPECT_THAT(text, HasSubstr("Repeat exactly this run:\n  ./streamlings check 03 --seed 20261121\n"));
  }
}

TEST(VerdictText, APassOnAGpuNamesWhatItDidNotJudgeAndWhatDoes) {
  result result = passed_lesson();
  result.backend = "gpu";
  result.criteria[1] =
      unseen("WorkIsOrdered", "nothing is right by luck", 25, "which bytes are touched is not known");
  const std::string text = verdict_text(result, {.with_timeline = false});
  EXPECT_THAT(text, HasSubstr("PASSED, 75 of 100 points\n"
                              "Everything that this run can judge is done. Not judged: WorkIsOrdered.\n"));
  EXPECT_THAT(text, HasSubstr("  have the rest judged on the virtual GPU: ./streamlings check 03\n"
                              "  go on: ./streamlings next\n"));
}

TEST(VerdictText, TheCommandThatRepeatsARunNamesEverythingThatWasNotAsUsual) {
  result result = lesson_three();
  result.profile = "h200";
  result.compiler = "clang++";
  result.environment = {"CUDA_DEVICE_MAX_CONNECTIONS=1"};
  result.source = "solutions/03_async_copy/async_copy.cu";
  EXPECT_EQ(repeat_command(result),
            "CUDA_DEVICE_MAX_CONNECTIONS=1 ./streamlings check 03 --solution --profile h200 "
            "--compiler clang++ --seed 20261121");
}

TEST(VerdictText, TheCommandThatRepeatsARunCanBeTyped) {
  result result = lesson_three();
  result.profile = "slow";
  result.profile_file = "/home/me/my gpu's/slow.json";
  EXPECT_EQ(repeat_command(result),
            "./streamlings check 03 --profile '/home/me/my gpu'\\''s/slow.json' "
            "--seed 20261121");
}

TEST(VerdictText, TheCommandThatRepeatsARunOnAGpuNamesTheBackendAndNoProfile) {
  result result = lesson_three();
  result.backend = "gpu";
  result.profile.clear();
  EXPECT_EQ(repeat_command(result), "./streamlings check 03 --backend gpu --seed 20261121");
}

TEST(VerdictText, AnotherFileIsNamedAndCheckedAgainByName) {
  result result = lesson_three();
  result.source = "/home/me/my answer.cu";
  result.verdict = run_verdict::wrong_answer;
  EXPECT_EQ(repeat_command(result), "./streamlings check 03 --file '/home/me/my answer.cu' --seed 20261121");
  const std::string text = verdict_text(result, {});
  EXPECT_THAT(text, HasSubstr("This checked /home/me/my answer.cu, not your file. No progress is saved."));
  EXPECT_THAT(text, HasSubstr("then: ./streamlings check 03 --file"));
  EXPECT_THAT(text, Not(HasSubstr("ctest -R")));
}

TEST(VerdictText, ACheckedSolutionIsNotMistakenForTheLearnersFile) {
  result result = passed_lesson();
  result.source = "solutions/03_async_copy/async_copy.cu";
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("not your file"));
}

TEST(VerdictText, ASolutionThatFailsIsReportedButNotForTheMarginsOfAnotherProfile) {
  result result = lesson_without_overlap();
  result.source = "solutions/03_async_copy/async_copy.cu";
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("a solution must pass: please report this"));
  result.profile = "c1060";
  EXPECT_THAT(verdict_text(result, {.width = 200}),
              AllOf(HasSubstr("made for the profile teaching: on c1060 its solution need not pass"),
                    Not(HasSubstr("please report this"))));
  result.verdict = run_verdict::wrong_answer;
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("please report this"));
}

TEST(VerdictText, OnAnotherProfileALearnerIsShownWhatTheSolutionGetsThere) {
  result result = lesson_without_overlap();
  EXPECT_THAT(verdict_text(result, {}), Not(HasSubstr("margins")));
  result.profile = "c1060";
  EXPECT_THAT(
      verdict_text(result, {.width = 200}),
      AllOf(HasSubstr("for the profile teaching; what its solution gets on c1060: ./streamlings check 03 "
                      "--solution --profile c1060"),
            HasSubstr("then: ./streamlings check 03 (or: ctest -R lesson03)")));
}

TEST(VerdictText, AMissingFileCanBeHadBack) {
  result result = lesson_three();
  result.verdict = run_verdict::missing_file;
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("./streamlings reset 03"));
}

TEST(VerdictText, LongOutputLosesItsMiddle) {
  result result = lesson_that_crashed();
  result.program_output.clear();
  for (int line = 1; line <= 1000; ++line) result.program_output += "line " + std::to_string(line) + "\n";
  const std::string text = verdict_text(result, {});
  EXPECT_THAT(text, HasSubstr("│ line 20\n│ ... 960 lines left out ...\n│ line 981\n"));
}

TEST(VerdictText, OutputCannotDriveTheTerminal) {
  result result = lesson_that_crashed();
  result.program_output = "\x1b[2J[pass] forged\x07";
  EXPECT_EQ(verdict_text(result, {}).find('\x1b'), std::string::npos);
}

TEST(VerdictText, NoLineIsWiderThanAsked) {
  result result = lesson_without_overlap();
  result.timeline.clear();
  for (int width = 60; width < 140; ++width) {
    std::istringstream in(verdict_text(result, {.width = width}));
    for (std::string line; std::getline(in, line);) EXPECT_LE(width_of(line), width) << line;
  }
}

TEST(VerdictText, WarningsOfTheCompilerAreShownAfterAPass) {
  result result = passed_lesson();
  result.compiler_output = "async_copy.cu:3:7: warning: unused variable 'x'\n";
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("unused variable"));
}

TEST(VerdictText, APassNamesTheTimeBesideThatOfTheSolution) {
  result result = passed_lesson();
  result.timeline = "790 us in all, on virtual GPU \"teaching\"\n";
  result.solution_time = "715 us";
  EXPECT_THAT(verdict_text(result, {.width = 200}),
              HasSubstr("yours took 790 us, the solution takes 715 us"));
}

TEST(VerdictText, WhatChangedSinceTheCheckBeforeIsNamed) {
  result result = passed_lesson();
  result.changes = {"CopiesOverlapKernels 0.00 -> 0.86"};
  EXPECT_THAT(verdict_text(result, {}),
              HasSubstr("Since the check before: CopiesOverlapKernels 0.00 -> 0.86."));
}

TEST(VerdictText, TheLineItselfStandsBelowItsPlace) {
  result result = lesson_three();
  result.verdict = run_verdict::crashed;
  result.why = {"It ends.", "It did not.", "async_copy.cu:12", "Nothing.", "work.host_task();"};
  EXPECT_THAT(verdict_text(result, {}),
              HasSubstr("  where      async_copy.cu:12\n             work.host_task();\n"));
}

TEST(VerdictText, NamesTheCallersOfAPlaceAndTheLinesOfItsValues) {
  result result = lesson_that_crashed();
  result.why = {"It ends.",
                "It did not.",
                "async_copy.cu:12",
                "Nothing.",
                "copy(first, bytes);",
                {{"async_copy.cu:12", {"async_copy.cu:25"}}},
                {{4, "const std::size_t bytes = 3;"}, {25, "copy(0);"}}};
  EXPECT_THAT(verdict_text(result, {}), HasSubstr("  where      async_copy.cu:12 (called from line 25)\n"
                                                  "             copy(first, bytes);\n"
                                                  "  values      4: const std::size_t bytes = 3;\n"
                                                  "             25: copy(0);\n"));
}

TEST(CriterionText, APassShowsWhatWasMeasuredAndNoReason) {
  const std::string text = criterion_text(passed_lesson(), "CopiesOverlapKernels", {});
  EXPECT_THAT(text, HasSubstr("[pass] CopiesOverlapKernels"));
  EXPECT_THAT(text, HasSubstr("0.89, required 0.60"));
  EXPECT_THAT(text, Not(HasSubstr("required   ")));
}

TEST(CriterionText, ACriterionOfARunThatCrashedSaysWhyItWasNotJudged) {
  const std::string text = criterion_text(lesson_that_crashed(), "CopiesOverlapKernels", {});
  EXPECT_THAT(text, HasSubstr("CopiesOverlapKernels: not judged"));
  EXPECT_THAT(text, HasSubstr("signal 11"));
}

}  // namespace
}  // namespace report
