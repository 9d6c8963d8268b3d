#include "runner/learner/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/cannot_do.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "runner/learner/prediction_tables.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

constexpr auto questions_json = R"({"questions": [
  {"id": "whole", "question": "How long?", "unit": "ms", "field": "figures.took_ms",
   "answered_by": "figures.streams >= 5", "answered_with": "five streams", "tolerance": 0.3},
  {"id": "hidden", "question": "How much?", "unit": "of it", "field": "criteria.StepsAreTaken.measured.seen",
   "answered_by": "as_it_comes", "tolerance": 0},
  {"id": "solved", "question": "And then?", "unit": "ms", "field": "figures.took_ms", "answered_by": "pass"},
  {"id": "why", "question": "Why?"}]})";

class Predictions : public testing::Test {
 protected:
  const std::vector<question> questions = parse_questions(questions_json);
  toy_course toy;
  const course::lesson lesson = course::lesson_of(toy.root(), "01_first_steps");
};

TEST_F(Predictions, AreMeasuredByTheCheckThatTheQuestionNames) {
  report::result check = toy_result(report::run_verdict::no_overlap);
  check.criteria.front().measured = {"0.25 of it", "1"};
  check.figures = {{"took_ms", 2.4}, {"streams", 4}};
  EXPECT_THAT(measured_by(check, lesson, questions), IsEmpty());
  check.figures["streams"] = 5;
  EXPECT_THAT(measured_by(check, lesson, questions), ElementsAre(Pair("whole", 2.4)));
  check.verdict = report::run_verdict::wrong_answer;
  EXPECT_THAT(measured_by(check, lesson, questions), IsEmpty());
  check.verdict = report::run_verdict::no_overlap;
  check.source_hash = processes::content_hash("// TODO 1\n");
  EXPECT_THAT(measured_by(check, lesson, questions), ElementsAre(Pair("hidden", 0.25), Pair("whole", 2.4)));
  check = toy_result(report::run_verdict::pass);
  check.figures = {{"took_ms", 1}};
  EXPECT_THAT(measured_by(check, lesson, questions), ElementsAre(Pair("solved", 1)));
}

TEST_F(Predictions, ComeBackAsTheyWereSaved) {
  const predictions kept{.is_skipped = true, .answers = {{"whole", "0.6 ms"}}, .measured = {{"whole", 2.4}}};
  save_predictions(toy.root() / "kept.json", kept);
  EXPECT_EQ(load_predictions(toy.root() / "kept.json"), kept);
  EXPECT_EQ(load_predictions(toy.root() / "none.json"), predictions{});
  toy.write("broken.json", "{");
  EXPECT_THROW(load_predictions(toy.root() / "broken.json"), processes::cannot_do);
}

TEST_F(Predictions, AreAskedForUntilAnsweredSkippedOrMeasured) {
  EXPECT_EQ(questions_to_ask(questions, {}).size(), 4u);
  EXPECT_EQ(questions_to_ask(questions, {.answers = {{"why", "so"}}}).size(), 3u);
  EXPECT_THAT(questions_to_ask(questions, {.is_skipped = true}), IsEmpty());
  EXPECT_THAT(questions_to_ask(questions, {.measured = {{"whole", 1}}}), IsEmpty());
}

TEST_F(Predictions, ANumberIsReadWithItsUnitAndWithAComma) {
  EXPECT_EQ(number_in("0.6 ms"), 0.6);
  EXPECT_EQ(number_in(" 0,6"), 0.6);
  EXPECT_EQ(number_in("-3"), -3);
  EXPECT_EQ(number_in("half"), std::nullopt);
  EXPECT_NE(problem_of_answer(questions[0], "half"), "");
  EXPECT_EQ(problem_of_answer(questions[3], "half"), "");
  EXPECT_NE(problem_of_answer(questions[3], "  "), "");
}

TEST_F(Predictions, WithinTheToleranceIsRight) {
  EXPECT_TRUE(is_near(questions[0], "2.1", 2.4));
  EXPECT_FALSE(is_near(questions[0], "2.0", 2.4));
  EXPECT_EQ(comparison_of(questions[0], {.answers = {{"whole", "0.6"}}, .measured = {{"whole", 2.467}}}),
            "predicted 0.6 ms, measured 2.47 ms");
  EXPECT_EQ(comparison_of(questions[0], {.answers = {{"whole", "2.4"}}, .measured = {{"whole", 2.467}}}),
            "predicted 2.4 ms, measured 2.47 ms: right");
}

TEST_F(Predictions, AQuestionThatNothingAnswersIsRefused) {
  for (const char* broken :
       {R"({"questions": [{"id": "a", "question": "?", "unit": "ms", "field": "figures.x"}]})",
        R"({"questions": [{"id": "a", "question": "?", "field": "figures.x", "answered_by": "pass"}]})",
        R"({"questions": [{"id": "a", "question": "?"}, {"id": "a", "question": "!"}]})", R"({})"}) {
    EXPECT_THROW(parse_questions(broken), std::exception) << broken;
  }
}

TEST_F(Predictions, AConditionSaysWhatItMeansForTheFile) {
  const std::string question =
      R"({"questions": [{"id": "a", "question": "?", "unit": "ms", "field": "figures.x", "answered_by": "figures.x >= 5")";
  EXPECT_THROW(parse_questions(question + "}]}"), std::exception);
  EXPECT_EQ(parse_questions(question + R"(, "answered_with": "five"}]})").front().answered_with, "five");
}

TEST_F(Predictions, StandInThePageBetweenTheirMarks) {
  EXPECT_EQ(with_question_list("a\n<!-- predict -->\nold\n<!-- end -->\nb\n", questions),
            "a\n<!-- predict -->\n1. How long?\n2. How much?\n3. And then?\n4. Why?\n<!-- end -->\nb\n");
  EXPECT_THROW(with_question_list("a\n", questions), std::runtime_error);
}

TEST_F(Predictions, AClassTableHasARowForEachStudent) {
  const std::vector<student_predictions> students = {
      {"anna", {.answers = {{"whole", "0.6"}, {"why", "a|b"}}, .measured = {{"whole", 2.4}}}},
      {"bert", {.answers = {{"whole", "2.5"}}}},
      {"carl", {.is_skipped = true}}};
  const std::string table = class_table(lesson, questions, students);
  EXPECT_THAT(table, HasSubstr("| anna | 0.6 | | | a\\|b |\n"));
  EXPECT_THAT(table, HasSubstr("| bert | 2.5 | | | |\n"));
  EXPECT_THAT(table, HasSubstr("| carl | skipped | skipped | skipped | skipped |\n"));
  EXPECT_THAT(table, HasSubstr("| measured | 2.4 | | | |\n| right | 1 of 2 | | | |\n"));
}

TEST_F(Predictions, TheVerbKeepsAnswersWithoutATerminalAndTheCheckShowsThem) {
  toy.write("lessons/01_first_steps/predict.json", questions_json);
  EXPECT_THAT(toy.run("predict 1").output,
              HasSubstr("1. whole: How long?\n  -> not predicted; a check with five streams measures it"));
  EXPECT_EQ(toy.run("predict 1 --answer whole=0.6 --answer 4=so").exit_status, 0);
  EXPECT_THAT(toy.run("predict 1").output, HasSubstr("4. why: Why?\n  -> predicted so"));
  EXPECT_THAT(toy.run("predict 1 --answer whole=soon").errors, HasSubstr("The answer is a number, in ms."));
  EXPECT_THAT(toy.run("predict 1 --answer when=1").errors,
              HasSubstr("write --answer NUMBER=VALUE or ID=VALUE. The questions are: "
                        "1 whole, 2 hidden, 3 solved, 4 why."));

  report::result check = toy_result(report::run_verdict::no_overlap);
  check.figures = {{"took_ms", 2.4}, {"streams", 5}};
  toy.install_check(check);
  EXPECT_THAT(toy.run("check 1").output, HasSubstr("predicted 0.6 ms, measured 2.4 ms"));
  EXPECT_THAT(toy.run("predict 1 --json").output, HasSubstr("\"is_right\": false"));
  EXPECT_THAT(toy.run("predict 1 --answer whole=2.4").errors, HasSubstr("a run has measured it"));
}

TEST_F(Predictions, AWorksheetAndAClassAreMarkdown) {
  toy.write("lessons/01_first_steps/predict.json", questions_json);
  EXPECT_THAT(toy.run("predict --worksheet").output, StartsWith("# Predictions\n"));
  toy.write(
      "class/anna/.streamlings/predictions/01_first_steps.json",
      R"({"streamlings_predictions": 1, "is_skipped": false, "answers": {"whole": "1"}, "measured": {}})");
  toy.write("class/bert/notes.txt", "");
  EXPECT_THAT(toy.run("predict --class '" + (toy.root() / "class").string() + "'").output,
              HasSubstr("| anna | 1 |"));
  EXPECT_EQ(toy.run("predict --class /nowhere").exit_status, 2);
}

}  // namespace
}  // namespace runner
