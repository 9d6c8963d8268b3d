#include "runner/watch/watch_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace runner {
namespace {

using report::run_verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WatchModel : public testing::Test {
 protected:
  WatchModel() {
    for (const char* number : {"01", "02", "03"}) {
      lesson_entry& lesson = model.lessons.emplace_back();
      lesson.number = number;
    }
  }
  std::vector<effect> press(char letter) { return update(model, key{key_kind::character, letter}); }
  std::vector<effect> press(key_kind kind) { return update(model, key{kind}); }
  std::vector<effect> end_check(std::size_t lesson, run_verdict verdict) {
    report::result result;
    result.verdict = verdict;
    return update(model, check_ended{lesson, result, true});
  }
  void all_lessons_are(lesson_progress progress) {
    update(model, progress_known{std::vector(model.lessons.size(), progress)});
  }
  watch_model model;
};

TEST_F(WatchModel, ASaveStartsACheck) {
  EXPECT_THAT(update(model, file_changed{}), ElementsAre(effect(start_check{0})));
}

TEST_F(WatchModel, ASaveDuringACheckCancelsItAndStartsAgain) {
  update(model, file_changed{});
  EXPECT_THAT(update(model, file_changed{}), ElementsAre(effect(cancel_checks{}), effect(start_check{0})));
}

TEST_F(WatchModel, InManualModeASaveOnlyMakesTheVerdictOld) {
  model.is_manual = true;
  end_check(0, run_verdict::pass);
  EXPECT_THAT(update(model, file_changed{}), IsEmpty());
  EXPECT_FALSE(model.is_fresh);
  EXPECT_THAT(press('r'), ElementsAre(effect(start_check{0})));
}

TEST_F(WatchModel, OpeningALessonChecksItUnlessTheVerdictIsOfThisFile) {
  EXPECT_THAT(update(model, lesson_opened{1, std::nullopt, false}), ElementsAre(effect(start_check{1})));
  model.running.clear();
  EXPECT_THAT(update(model, lesson_opened{1, report::result{}, true}), IsEmpty());
}

TEST_F(WatchModel, TheKeyOOpensThePage) { EXPECT_THAT(press('o'), ElementsAre(effect(open_page{}))); }

class WatchModelAsks : public WatchModel {
 protected:
  WatchModelAsks() {
    const question measured{
        .id = "time", .text = "How long?", .unit = "ms", .field = "figures.took_ms", .answered_by = "pass"};
    const question in_words{.id = "why", .text = "Why?"};
    wanted = update(model, lesson_opened{0, std::nullopt, false, {measured, in_words}});
  }
  std::vector<effect> type(std::string_view text) {
    for (const char letter : text) press(letter);
    return press(key_kind::enter);
  }
  std::vector<effect> wanted;
};

TEST_F(WatchModelAsks, ForPredictionsBeforeTheFirstCheck) {
  EXPECT_THAT(wanted, IsEmpty());
  EXPECT_EQ(model.page, watch_page::predict);
  EXPECT_THAT(type("0.6"), ElementsAre(effect(keep_prediction{"time", "0.6"})));
  EXPECT_THAT(type("so"), ElementsAre(effect(keep_prediction{"why", "so"}), effect(start_check{0})));
  EXPECT_EQ(model.page, watch_page::lesson);
}

TEST_F(WatchModelAsks, OnceMoreAfterAnAnswerThatIsNoNumber) {
  EXPECT_THAT(type("soon"), IsEmpty());
  EXPECT_THAT(model.notice, HasSubstr("number"));
  EXPECT_EQ(model.predict.current, 0u);
}

TEST_F(WatchModelAsks, NothingMoreAfterEscape) {
  EXPECT_THAT(press(key_kind::escape), ElementsAre(effect(skip_predictions{}), effect(start_check{0})));
  EXPECT_EQ(model.page, watch_page::lesson);
}

TEST_F(WatchModelAsks, NothingWhenTheAnswerIsLeftOpen) {
  press(key_kind::enter);
  EXPECT_THAT(press(key_kind::enter), ElementsAre(effect(start_check{0})));
}

TEST_F(WatchModelAsks, NothingMoreWhenTheFileIsSaved) {
  EXPECT_THAT(update(model, file_changed{}), ElementsAre(effect(start_check{0})));
  EXPECT_EQ(model.page, watch_page::lesson);
}

TEST_F(WatchModel, NextAndPreviousGoToTheNeighbours) {
  EXPECT_THAT(press('n'), ElementsAre(effect(open_lesson{1})));
  EXPECT_THAT(press('p'), ElementsAre(effect(open_lesson{0})));
  EXPECT_THAT(press('p'), IsEmpty());
  EXPECT_THAT(model.notice, HasSubstr("first lesson"));
}

TEST_F(WatchModel, LeavingALessonEndsItsCheck) {
  press('r');
  EXPECT_THAT(press('n'), ElementsAre(effect(cancel_checks{}), effect(open_lesson{1})));
  EXPECT_THAT(model.running, IsEmpty());
}

TEST_F(WatchModel, BehindTheLastLessonComesWhatIsLeft) {
  all_lessons_are(lesson_progress::done);
  model.lessons[1].progress = lesson_progress::edited;
  model.current = 2;
  EXPECT_THAT(press('n'), ElementsAre(effect(open_lesson{1})));
}

TEST_F(WatchModel, BehindTheLastLessonOfAFinishedCourseEverythingIsCheckedOnceMore) {
  all_lessons_are(lesson_progress::done);
  model.current = 2;
  EXPECT_THAT(press('n'), ElementsAre(effect(start_check{0})));
  EXPECT_EQ(model.page, watch_page::all);
}

TEST_F(WatchModel, ACheckOfAllKeepsAsManyRunningAsItMay) {
  model.max_parallel = 2;
  EXPECT_THAT(press('c'), ElementsAre(effect(start_check{0}), effect(start_check{1})));
  EXPECT_THAT(end_check(1, run_verdict::pass), ElementsAre(effect(start_check{2})));
  EXPECT_THAT(end_check(0, run_verdict::crashed), IsEmpty());
  EXPECT_THAT(update(model, check_failed{2, "not built"}), IsEmpty());
  ASSERT_EQ(model.all->outcomes.size(), 3);
  EXPECT_EQ(model.all->outcomes[0].verdict, run_verdict::crashed);
  EXPECT_EQ(model.all->outcomes[2].verdict, run_verdict::infra_error);
}

TEST_F(WatchModel, ACheckOfAllCanBeLeftAndTheCurrentLessonIsThenCheckedWhenItsVerdictIsOld) {
  press('c');
  EXPECT_THAT(press(key_kind::escape), ElementsAre(effect(cancel_checks{}), effect(start_check{0})));
  end_check(0, run_verdict::pass);
  press('c');
  EXPECT_THAT(press('q'), ElementsAre(effect(cancel_checks{})));
  EXPECT_EQ(model.page, watch_page::lesson);
}

TEST_F(WatchModel, ASaveEndsACheckOfAllAndShowsTheLesson) {
  press('c');
  EXPECT_THAT(update(model, file_changed{}), ElementsAre(effect(cancel_checks{}), effect(start_check{0})));
  EXPECT_EQ(model.page, watch_page::lesson);
}

TEST_F(WatchModel, KeysAnswerWhileACheckRuns) {
  press('r');
  EXPECT_THAT(press('h'), ElementsAre(effect(give_hint{})));
  EXPECT_THAT(press('e'), ElementsAre(effect(edit_file{})));
  EXPECT_THAT(press('l'), IsEmpty());
  EXPECT_EQ(model.page, watch_page::list);
  press(key_kind::escape);
  EXPECT_THAT(press('q'), ElementsAre(effect(leave_watch{})));
}

TEST_F(WatchModel, ResetAsksFirst) {
  EXPECT_THAT(press('x'), IsEmpty());
  EXPECT_THAT(press('n'), IsEmpty()) << "any other key than y is a no";
  press('x');
  EXPECT_THAT(press('y'), ElementsAre(effect(reset_file{})));
  EXPECT_THAT(press('y'), IsEmpty()) << "only once";
}

TEST_F(WatchModel, TheListGoesWhereItPoints) {
  press('l');
  press(key_kind::down);
  press('j');
  press('j');
  EXPECT_THAT(press(key_kind::enter), ElementsAre(effect(open_lesson{2})));
}

TEST_F(WatchModel, ThePassedRunIsComparedAtOnceAndAnotherOnlyAfterAQuestion) {
  end_check(0, run_verdict::no_overlap);
  EXPECT_THAT(press('s'), IsEmpty());
  EXPECT_THAT(press('q'), IsEmpty());
  EXPECT_EQ(model.page, watch_page::lesson);
  press('s');
  EXPECT_THAT(press('y'), ElementsAre(effect(compare_runs{})));
  EXPECT_EQ(model.page, watch_page::comparison);
  press(key_kind::escape);
  end_check(0, run_verdict::pass);
  EXPECT_THAT(press('s'), ElementsAre(effect(compare_runs{})));
}

TEST_F(WatchModel, TheTimelineIsOpenedFromTheLesson) {
  EXPECT_THAT(press('t'), ElementsAre(effect(open_timeline{})));
}

TEST_F(WatchModel, AHintStaysUntilAnotherVerdict) {
  for (const run_verdict other : {run_verdict::pass, run_verdict::compile_error}) {
    update(model, hint_given{shown_hint{"Hint 1 of 3: Look", "around"}});
    model.notice = "Nothing was changed.";
    end_check(0, run_verdict::no_overlap);
    end_check(0, run_verdict::no_overlap);
    EXPECT_TRUE(model.hint);
    EXPECT_EQ(model.notice, "");
    end_check(0, other);
    EXPECT_FALSE(model.hint);
    model.result.reset();
  }
}

TEST_F(WatchModel, TheVerdictOfAnotherLessonDoesNotShowAsThisOnes) {
  press('c');
  end_check(1, run_verdict::pass);
  EXPECT_FALSE(model.result);
}

TEST_F(WatchModel, ScrollingNeverGoesAboveTheTop) {
  press(key_kind::up);
  EXPECT_EQ(model.scroll, 0);
  press(' ');
  press(key_kind::up);
  EXPECT_EQ(model.scroll, 9);
  press(key_kind::home);
  EXPECT_EQ(model.scroll, 0);
}

TEST_F(WatchModel, ANoticeIsGoneAtTheNextKey) {
  update(model, notice_given{"kept as"});
  press(key_kind::down);
  EXPECT_EQ(model.notice, "");
}

}  // namespace
}  // namespace runner
