#include "runner/watch/watch_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runner/toy_course.h"

namespace runner {
namespace {

using report::run_verdict;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr styles plain;
constexpr styles in_colour{report::colour::on};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class WatchView : public testing::Test {
 protected:
  WatchView() {
    for (const char* number : {"01", "02", "03"}) {
      lesson_entry& lesson = model.lessons.emplace_back();
      lesson.number = number;
      lesson.title = "First steps";
      lesson.source = "lessons/first_steps.cu";
      lesson.link = "file:///course/lessons/first_steps.cu";
      lesson.readme = "lessons/README.md";
      lesson.solution = "solutions/first_steps.cu";
    }
  }
  void show(run_verdict verdict) {
    model.result = toy_result(verdict);
    model.is_fresh = true;
  }
  std::string shown(screen_size size = {24, 80}) const { return joined(watch_lines(model, size, plain)); }
  watch_model model;
};

TEST_F(WatchView, EverySizeOfTerminalIsFilledExactlyAndNeverOverflows) {
  show(run_verdict::no_overlap);
  model.result->timeline = std::string(100, '=') + "\n";
  model.result->compiler_output = std::string(200, 'x');
  model.notice = "a notice that is longer than narrow terminals are";
  model.hint = shown_hint{"Hint 1 of 3: Look", "around `here`"};
  model.all = all_checks{};
  for (const watch_page page : {watch_page::lesson, watch_page::list, watch_page::all, watch_page::help}) {
    model.page = page;
    for (const int rows : {1, 2, 3, 4, 5, 9, 10, 12, 24, 80}) {
      for (const int columns : {1, 2, 5, 20, 39, 40, 80, 200}) {
        const auto lines = watch_lines(model, {rows, columns}, in_colour);
        EXPECT_EQ(lines.size(), static_cast<std::size_t>(rows)) << columns;
        for (const std::string& line : lines) EXPECT_LE(styled_width(line), columns) << rows << ": " << line;
      }
    }
  }
}

TEST_F(WatchView, WithoutColourThereIsNoEscape) {
  show(run_verdict::pass);
  EXPECT_THAT(watch_lines(model, {24, 80}, plain), Each(Not(HasSubstr("\x1b"))));
}

TEST_F(WatchView, TheLessonFileIsALink) {
  EXPECT_THAT(joined(watch_lines(model, {24, 80}, in_colour)),
              HasSubstr("\x1b]8;;file:///course/lessons/first_steps.cu\x1b\\"));
}

TEST_F(WatchView, WhileCheckingThePhaseTheSecondsAndTheOldVerdictAreShownAsSuch) {
  show(run_verdict::no_overlap);
  model.running[0] = {"compiling", std::chrono::milliseconds{1240}};
  EXPECT_THAT(shown(), StartsWith("Lesson 01 First steps: checking (compiling, 1.2 s)\n"
                                  "The verdict before: no overlap\n"));
}

TEST_F(WatchView, AVerdictOfAnOlderFileSaysSo) {
  show(run_verdict::pass);
  model.is_fresh = false;
  EXPECT_THAT(shown(), HasSubstr("The file has changed since this verdict"));
  EXPECT_THAT(shown(), Not(HasSubstr("n goes on to")));
}

TEST_F(WatchView, APassSaysWhatIsNextAndWhereTheSolutionIs) {
  show(run_verdict::pass);
  EXPECT_THAT(shown(), HasSubstr("n goes on to lesson 02 First steps."));
  EXPECT_THAT(shown(), HasSubstr("solutions/first_steps.cu"));
}

TEST_F(WatchView, AHintStandsBelowTheVerdictAndAboveItsDetails) {
  show(run_verdict::no_overlap);
  model.hint = shown_hint{"Hint 2 of 3: Look", "one\ntwo\n\n```cpp\nthree();\n```"};
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("Hint 2 of 3: Look\none two\n\nthree();\n"));
  EXPECT_LT(text.find("Hint 2"), text.find("[FAIL]"));
}

TEST_F(WatchView, ASmallScreenLeavesOutTheNumbersOfWhatHasPassed) {
  show(run_verdict::pass);
  model.result->criteria.front().note = "10 steps";
  EXPECT_THAT(shown({24, 80}), Not(HasSubstr("10 steps")));
  EXPECT_THAT(shown({50, 80}), HasSubstr("10 steps"));
}

TEST_F(WatchView, CompilerErrorsComeBeforeAHint) {
  show(run_verdict::compile_error);
  model.result->compiler_output = "first_steps.cu:7:3: error: no\n";
  model.hint = shown_hint{"Hint 1 of 3: Look", "around"};
  const std::string text = shown();
  EXPECT_LT(text.find("error: no"), text.find("Hint 1"));
}

TEST_F(WatchView, AnUntouchedFileIsSaidToBeOne) {
  show(run_verdict::no_overlap);
  EXPECT_THAT(
      shown(),
      HasSubstr(
          "This is the file as it came. Read lessons/README.md, then edit\nlessons/first_steps.cu.\n\n"));
  model.lessons[0].progress = lesson_progress::started;
  EXPECT_THAT(shown(), Not(HasSubstr("This is the file as it came.")));
}

TEST_F(WatchView, WhatDoesNotFitIsCountedAndReachedByScrolling) {
  show(run_verdict::no_overlap);
  for (int line = 0; line < 50; ++line) model.result->timeline += "row " + std::to_string(line) + "\n";
  EXPECT_THAT(shown(), HasSubstr("more lines: down or space"));
  EXPECT_THAT(shown(), Not(HasSubstr("row 49\n")));
  model.scroll = last_scroll(model, {24, 80}, plain);
  EXPECT_THAT(shown(), HasSubstr("row 49\n"));
  EXPECT_THAT(shown(), HasSubstr("-- end: up or home --"));
}

TEST_F(WatchView, AShortPageDoesNotScroll) {
  show(run_verdict::pass);
  EXPECT_EQ(last_scroll(model, {40, 80}, plain), 0);
  EXPECT_THAT(shown({40, 80}), Not(HasSubstr("more lines")));
}

TEST_F(WatchView, TheBarGrowsWithTheLessonsDone) {
  model.lessons[0].progress = lesson_progress::done;
  model.lessons[1].progress = lesson_progress::edited;
  EXPECT_THAT(shown({24, 45}), HasSubstr("Progress [##########--------------------] 1/3"));
  EXPECT_THAT(shown({24, 20}), HasSubstr("Progress: 1/3"));
}

TEST_F(WatchView, ThePageOfAllShowsWhatWaitsRunsAndIsThrough) {
  model.page = watch_page::all;
  model.all = all_checks{2, {{0, {run_verdict::no_overlap, 65}}}};
  model.running[1] = {"running", std::chrono::milliseconds{300}};
  EXPECT_THAT(shown(), StartsWith("Checking all lessons: 1 of 3\n\n"
                                  "[FAIL] 01 First steps: no overlap, 65 points\n"
                                  "[..  ] 02 First steps: running, 0.3 s\n"
                                  "[    ] 03 First steps\n"));
}

TEST_F(WatchView, MoreLessonsThanLinesBecomeAGrid) {
  model.page = watch_page::all;
  model.all = all_checks{2, {{0, {run_verdict::no_overlap, 65}}}};
  EXPECT_THAT(shown({9, 30}), HasSubstr("[FAIL] 01  [    ] 02\n[    ] 03\n"));
}

TEST_F(WatchView, TheListLeavesOutThePathBeforeTheName) {
  model.page = watch_page::list;
  EXPECT_THAT(shown({24, 80}), HasSubstr("01  First steps  untouched  lessons/first_steps.cu\n"));
  EXPECT_THAT(shown({24, 50}), HasSubstr("01  First steps  untouched  first_steps.cu\n"));
  EXPECT_THAT(shown({24, 40}), HasSubstr("01  First steps  untouched\n"));
}

TEST_F(WatchView, TheFinishNeedsEveryLesson) {
  model.page = watch_page::all;
  model.all = all_checks{3, {{0, {run_verdict::pass, 100}}, {1, {run_verdict::pass, 100}}}};
  model.all->outcomes[2] = {run_verdict::inconclusive, 0};
  EXPECT_THAT(shown(), Not(HasSubstr("finished")));
  model.all->outcomes[2] = {run_verdict::pass, 100};
  EXPECT_THAT(shown(), HasSubstr("You have finished the course."));
}

TEST_F(WatchView, TheChosenLessonIsVisibleOnAShortScreen) {
  model.page = watch_page::list;
  model.list.chosen = 2;
  EXPECT_THAT(shown({4, 80}), HasSubstr(">   03"));
}

TEST_F(WatchView, WhatALessonSaysCannotSteerTheTerminal) {
  show(run_verdict::no_overlap);
  model.result->program_output = "\x1b[2Jgone";
  model.problem = "";
  for (const std::string& line : watch_lines(model, {60, 80}, in_colour))
    EXPECT_THAT(line, Not(HasSubstr("\x1b[2J")));
}

TEST_F(WatchView, TheFarewellNamesTheLessonAndItsState) {
  show(run_verdict::no_overlap);
  EXPECT_THAT(farewell(model), StartsWith("Lesson 01 First steps: no overlap."));
}

}  // namespace
}  // namespace runner
