#include "report/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace report {
namespace {

using testing::HasSubstr;

/// A directory of its own for each test, removed afterwards.
class Result : public testing::Test {
 protected:
  Result() {
    std::string pattern = (std::filesystem::temp_directory_path() / "result_test.XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~Result() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file(const std::string& name) const { return directory_ / name; }

  std::filesystem::path directory_;
};

criterion_result criterion(criterion_verdict verdict, run_verdict failure, int points = 10) {
  return {.name = "Name",
          .title = "title",
          .points = points,
          .verdict = verdict,
          .failure = failure,
          .why = {},
          .note = "",
          .measured = std::nullopt};
}

/// Every field has a value of its own, so that a forgotten one is noticed.
result full_result() {
  return {.lesson = 3,
          .slug = "async_copy",
          .title = "Asynchronous copies",
          .source = "lessons/03_async_copy/async_copy.cu",
          .source_hash = "abc123",
          .lesson_hash = "def456",
          .backend = "virtual",
          .profile = "fast",
          .profile_file = "/home/me/fast.json",
          .compiler = "clang++",
          .environment = {"CUDA_LAUNCH_BLOCKING=1"},
          .seed = 18446744073709551615u,
          .verdict = run_verdict::no_overlap,
          .why = {"required",
                  "seen",
                  "async_copy.cu:41",
                  "README.md",
                  "copy(n);",
                  {{"async_copy.cu:41", {"async_copy.cu:52"}}},
                  {{40, "const int n = 3;"}}},
          .is_over_real_time = true,
          .criteria = {{.name = "CopiesOverlapKernels",
                        .title = "copies run while kernels run",
                        .points = 25,
                        .verdict = criterion_verdict::fail,
                        .failure = run_verdict::no_overlap,
                        .why = {"r", "s", "w", "n"},
                        .mistake = "buffer_reused",
                        .note = "0.02 of 0.60",
                        .measured = measurement{"0.02", "at least 0.60"}}},
          .schedules = {"as-is", "slow-copies"},
          .compiler_output = "a warning",
          .program_output = "hello\n\"quoted\"\t\x1b[31m",
          .recording = "recording.jsonl",
          .timeline = "time ▌▒▒▒\n",
          .build_seconds = 0.75,
          .run_seconds = 0.25,
          .isolation = "bwrap+seccomp"};
}

TEST_F(Result, SavedRecordIsReadBackEqual) {
  save(file("result.json"), full_result());
  EXPECT_EQ(load(file("result.json")), full_result());
}

TEST_F(Result, JsonSaysInWordsFromWhereAPlaceWasCalled) {
  EXPECT_THAT(to_json(full_result()), HasSubstr("\"in_words\": \"called from line 52\""));
}

TEST_F(Result, SaveLeavesNoTemporaryFileBehind) {
  save(file("result.json"), full_result());
  save(file("result.json"), full_result());
  const auto entries = std::filesystem::directory_iterator(directory_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(Result, OutputThatIsNotUtf8IsStillSaved) {
  result result = full_result();
  result.program_output = "\xff\xfe broken";
  save(file("result.json"), result);
  EXPECT_THAT(load(file("result.json")).program_output, HasSubstr("broken"));
}

TEST_F(Result, MissingRecordIsNamed) {
  try {
    load(file("absent.json"));
    FAIL() << "no exception";
  } catch (const std::runtime_error& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("absent.json"));
  }
}

TEST_F(Result, CutOffRecordIsRefusedWhereverItIsCut) {
  const std::string whole = to_json(full_result());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    std::ofstream(file("cut.json"), std::ios::trunc) << whole.substr(0, length);
    EXPECT_THROW(load(file("cut.json")), std::runtime_error) << "cut after " << length << " bytes";
  }
}

TEST_F(Result, RecordOfAnotherVersionIsRefused) {
  std::string text = to_json(full_result());
  const std::string version = "\"streamlings_result\": 1";
  ASSERT_NE(text.find(version), std::string::npos);
  text.replace(text.find(version), version.size(), "\"streamlings_result\": 2");
  std::ofstream(file("other.json")) << text;
  try {
    load(file("other.json"));
    FAIL() << "no exception";
  } catch (const std::runtime_error& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("another version (2)"));
  }
}

TEST_F(Result, RecordWithAnUnknownVerdictIsRefused) {
  std::string text = to_json(full_result());
  text.replace(text.find("no_overlap"), 10, "no_overlop");
  std::ofstream(file("odd.json")) << text;
  EXPECT_THROW(load(file("odd.json")), std::runtime_error);
}

TEST(Verdict, EveryWordLeadsBackToItsVerdict) {
  for (int value = 0; value <= static_cast<int>(run_verdict::pass); ++value) {
    const auto verdict = static_cast<run_verdict>(value);
    EXPECT_EQ(run_verdict_from_word(word_of(verdict)), verdict);
  }
  for (int value = 0; value <= static_cast<int>(criterion_verdict::not_observable); ++value) {
    const auto verdict = static_cast<criterion_verdict>(value);
    EXPECT_EQ(criterion_verdict_from_word(word_of(verdict)), verdict);
  }
}

TEST(Verdict, UnknownWordsAreRefused) {
  EXPECT_THROW(run_verdict_from_word("passed"), std::invalid_argument);
  EXPECT_THROW(criterion_verdict_from_word(""), std::invalid_argument);
}

TEST(Verdict, WrongDataOutranksMissingOverlap) {
  EXPECT_EQ(verdict_of({criterion(criterion_verdict::fail, run_verdict::no_overlap),
                        criterion(criterion_verdict::fail, run_verdict::wrong_answer)}),
            run_verdict::wrong_answer);
}

TEST(Verdict, WhatCouldNotBeObservedDoesNotSpoilAPass) {
  EXPECT_EQ(verdict_of({criterion(criterion_verdict::not_observable, run_verdict::pass),
                        criterion(criterion_verdict::pass, run_verdict::pass)}),
            run_verdict::pass);
}

TEST(Verdict, NothingObservedIsInconclusive) {
  EXPECT_EQ(verdict_of({criterion(criterion_verdict::not_observable, run_verdict::pass)}),
            run_verdict::inconclusive);
  EXPECT_EQ(verdict_of({}), run_verdict::inconclusive);
}

TEST(Verdict, FailureWithoutAVerdictOfItsOwnStillFails) {
  EXPECT_EQ(verdict_of({criterion(criterion_verdict::fail, run_verdict::pass)}),
            run_verdict::requirement_missed);
}

TEST(Verdict, OnlyPassedCriteriaGivePoints) {
  result result;
  result.criteria = {criterion(criterion_verdict::pass, run_verdict::pass, 30),
                     criterion(criterion_verdict::fail, run_verdict::no_overlap, 50),
                     criterion(criterion_verdict::not_observable, run_verdict::pass, 20)};
  EXPECT_EQ(points_of(result), 30);
}

TEST(Verdict, ExitStatusTellsPassFailUndecidedAndTimeLimitApart) {
  EXPECT_EQ(exit_status_of(run_verdict::pass), 0);
  EXPECT_EQ(exit_status_of(run_verdict::wrong_answer), 1);
  EXPECT_EQ(exit_status_of(run_verdict::unsupported), 1);
  EXPECT_EQ(exit_status_of(run_verdict::infra_error), 2);
  EXPECT_EQ(exit_status_of(run_verdict::inconclusive), 2);
  EXPECT_EQ(exit_status_of(run_verdict::not_measurable), 2);
  EXPECT_EQ(exit_status_of(run_verdict::timeout), 3);
}

TEST(Verdict, HeadingsArePlainWords) {
  EXPECT_EQ(words_of(run_verdict::no_overlap), "no overlap");
  EXPECT_EQ(words_of(run_verdict::timeout), "time limit");
}

criterion_result measured(const std::string& name, const std::string& value, criterion_verdict verdict) {
  return {.name = name, .verdict = verdict, .measured = measurement{value, "at least 0.60"}};
}

TEST(ChangesBetween, NameWhatACriterionMeasuredBeforeAndNow) {
  result earlier, later;
  earlier.criteria = {measured("CopiesOverlapKernels", "0.00", criterion_verdict::fail),
                      {.name = "WorkIsOrdered", .verdict = criterion_verdict::fail},
                      {.name = "EveryElementIsRight", .verdict = criterion_verdict::pass}};
  later.criteria = {measured("CopiesOverlapKernels", "0.86", criterion_verdict::pass),
                    {.name = "WorkIsOrdered", .verdict = criterion_verdict::pass},
                    {.name = "EveryElementIsRight", .verdict = criterion_verdict::pass}};
  EXPECT_THAT(changes_between(earlier, later),
              testing::ElementsAre("CopiesOverlapKernels 0.00 -> 0.86", "WorkIsOrdered fail -> pass"));
}

TEST(ChangesBetween, NameTheVerdictsOfRunsThatWereNotJudged) {
  result earlier, later;
  earlier.verdict = run_verdict::crashed;
  later.verdict = run_verdict::pass;
  later.criteria = {{.name = "WorkIsOrdered", .verdict = criterion_verdict::pass}};
  EXPECT_THAT(changes_between(earlier, later), testing::ElementsAre("crashed -> pass"));
}

TEST(PlacesIn, AreTheLinesOneByOne) {
  EXPECT_THAT(places_in({.required = "", .observation = "", .where = "a.cu:19, a.cu:25", .read_next = ""}),
              testing::ElementsAre("a.cu:19", "a.cu:25"));
  EXPECT_TRUE(places_in({}).empty());
}

TEST(LeadFirstTo, PutsThePlaceAheadOfTheOthersOnce) {
  evidence why;
  const auto places_with = [&](const std::string& place) {
    lead_first_to(why, place);
    return why.where;
  };
  EXPECT_EQ(places_with("a.cu:31"), "a.cu:31");
  EXPECT_EQ(places_with("a.cu:24"), "a.cu:24, a.cu:31");
  EXPECT_EQ(places_with("a.cu:31"), "a.cu:31, a.cu:24");
  EXPECT_EQ(places_with(""), "a.cu:31, a.cu:24");
}

}  // namespace
}  // namespace report
