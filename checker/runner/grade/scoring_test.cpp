#include "runner/grade/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/cannot_do.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

grade points(int count) {
  grade made;
  made.points = count;
  return made;
}

grade with_race(int count) {
  grade made = points(count);
  graded_criterion& criterion = made.criteria.emplace_back();
  criterion.verdict = report::criterion_verdict::fail;
  criterion.failure = report::run_verdict::race_detected;
  return made;
}

class Scoring : public testing::Test {
 protected:
  Scoring() {
    setenv("STREAMLINGS_ROOT", toy.root().c_str(), 1);
    checkout.emplace(course::checkout::open());
    unsetenv("STREAMLINGS_ROOT");
    book.lessons = checkout->lessons();
  }
  score scored(std::vector<grade> grades, const std::string& date = "") {
    student_grades student;
    student.grades = std::move(grades);
    student.date = date;
    return score_of(book, student, rules);
  }
  toy_course toy;
  std::optional<course::checkout> checkout;
  gradebook book;
  scoring_rules rules;
};

TEST_F(Scoring, LessonsCountByTheirWeights) {
  EXPECT_EQ(scored({points(100), points(50)}).hundredths, 7500);
  rules = rules_of(R"({"weights": {"02": 3}})", *checkout);
  EXPECT_EQ(scored({points(100), points(50)}).hundredths, 6250);
  rules = rules_of(R"({"weights": {"first_steps": 0}})", *checkout);
  EXPECT_EQ(scored({points(100), points(50)}).hundredths, 5000);
}

TEST_F(Scoring, WhatCouldNotBeDecidedDoesNotCount) {
  EXPECT_EQ(scored({points(80), grade()}).hundredths, 8000);
  EXPECT_EQ(scored({grade(), grade()}).hundredths, std::nullopt);
}

TEST_F(Scoring, ARaceCapsTheLesson) {
  rules = rules_of(R"({"race_cap": 40})", *checkout);
  EXPECT_EQ(scored({with_race(70), points(70)}).hundredths, 5500);
  EXPECT_EQ(scored({with_race(30), points(70)}).hundredths, 5000);
}

TEST_F(Scoring, EachDayThatHasBegunCostsUntilNothingIsLeft) {
  rules = rules_of(R"({"late": {"percent_a_day": 10, "max_days": 3, "grace_minutes": 15}})", *checkout);
  rules.deadline = time_of("2026-11-20 18:00");
  const auto at = [&](const std::string& date) {
    return *scored({points(100), points(100)}, date).hundredths;
  };
  EXPECT_EQ(at("2026-11-20 18:00"), 10000);
  EXPECT_EQ(at("2026-11-20 18:15"), 10000);
  EXPECT_EQ(at("2026-11-20 18:16"), 9000);
  EXPECT_EQ(at("2026-11-21 18:00"), 9000);
  EXPECT_EQ(at("2026-11-21 18:01"), 8000);
  EXPECT_EQ(at("2026-11-23 18:00"), 7000);
  EXPECT_EQ(at("2026-11-23 18:01"), 0);
  EXPECT_EQ(scored({points(100), points(100)}, "2026-11-21 18:01").late_days, 2);
  EXPECT_TRUE(scored({points(100), points(100)}, "yesterday").is_date_missing);
}

TEST(TimeOf, KnowsDatesTimesAndZones) {
  EXPECT_EQ(time_of("1970-01-01 00:00:10"), 10);
  EXPECT_EQ(time_of("1970-01-01"), 86399);
  EXPECT_EQ(time_of("2026-11-20T18:00:00+01:00"), time_of("2026-11-20 17:00 UTC"));
  EXPECT_EQ(time_of("2026-11-20T18:00:00-0530"), time_of("2026-11-20 23:30Z"));
  EXPECT_EQ(time_of("2026-02-29"), std::nullopt);
  EXPECT_EQ(time_of("2026-11-20 25:00"), std::nullopt);
  EXPECT_EQ(time_of("20.11.2026"), std::nullopt);
  EXPECT_EQ(time_of(""), std::nullopt);
}

TEST_F(Scoring, WrongRulesAreRefused) {
  const auto reading = [&](const char* text) { return [this, text] { rules_of(text, *checkout); }; };
  EXPECT_THAT(reading("[1]"), ThrowsMessage<processes::cannot_do>(HasSubstr("no JSON object")));
  EXPECT_THAT(reading(R"({"wieghts": {}})"), ThrowsMessage<processes::cannot_do>(HasSubstr("not wieghts")));
  EXPECT_THAT(reading(R"({"late": {"per_day": 1}})"),
              ThrowsMessage<processes::cannot_do>(HasSubstr("not per_day")));
  EXPECT_THAT(reading(R"({"race_cap": 101})"),
              ThrowsMessage<processes::cannot_do>(HasSubstr("from 0 to 100")));
  EXPECT_THROW(reading(R"({"weights": {"9": 1}})")(), processes::cannot_do);
}

}  // namespace
}  // namespace runner
