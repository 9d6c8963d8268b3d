// The watch screen as a person meets it: keys go in at a pseudo-terminal, and what is seen there is compared
// with screens that were looked at (golden/).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "course/lesson.h"
#include "processes/content_hash.h"
#include "report/golden.h"
#include "runner/terminal/terminal_session.h"
#include "runner/toy_course.h"

namespace runner {
namespace {

using report::run_verdict;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view untouched = "// TODO 1\n";
constexpr auto given_back = "\x1b[?25h\x1b[?1049l";

class Watch : public testing::Test {
 protected:
  Watch() {
    prepare(1, run_verdict::no_overlap);
    prepare(2, run_verdict::no_overlap);
  }

  /// What the check of that lesson will say of a file with that content.
  void prepare(int lesson, run_verdict verdict, std::string_view content = untouched,
               const report::result& other = {}) const {
    report::result record = other.slug.empty() ? toy_result(verdict) : other;
    record.lesson = lesson;
    if (lesson == 2) record.title = "next_steps";
    record.source_hash = processes::content_hash(content);
    record.lesson_hash =
        course::lesson_of(toy.root(), lesson == 1 ? "01_first_steps" : "02_next_steps").hash();
    record.recording.clear();
    record.timeline = "host  ====----\n";
    const std::string number = "0" + std::to_string(lesson);
    std::filesystem::create_directories(toy.root() / ("prepared" + number));
    report::save(toy.root() / ("prepared" + number) / "result.json", record);
    install(lesson, "");
  }
  /// A check that does `first` before it leaves its record.
  void install(int lesson, const std::string& first) const {
    const std::string number = "0" + std::to_string(lesson);
    toy.install_check_script(number, "cd \"$STREAMLINGS_ROOT\"; echo started >> starts.txt\n" + first +
                                         "\ncp prepared" + number + "/* \"$5\"\n");
  }
  /// A check that runs until open_gate().
  void install_gated(int lesson) const {
    if (!std::filesystem::exists(toy.root() / "gate")) {
      ASSERT_EQ(mkfifo((toy.root() / "gate").c_str(), 0600), 0);
    }
    install(lesson, "read line < gate");
  }
  void open_gate() const { std::ofstream(toy.root() / "gate") << "go\n"; }
  void save(std::string_view content) const { toy.write("lessons/01_first_steps/first_steps.cu", content); }
  long starts() const {
    const std::string text = toy.read("starts.txt");
    return std::count(text.begin(), text.end(), '\n');
  }
  /// Not the first start: no welcome.
  void know_the_learner() const { toy.write(".streamlings/state.txt", "current first_steps\n"); }

  toy_course toy;
};

/// The phase and the seconds of a running check are those of the moment.
std::string without_moment(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\(\w+, [0-9.]+ s\))"), "(PHASE, SECONDS)");
}

TEST_F(Watch, TheFirstStartWelcomesAndChecks) {
  install_gated(1);
  terminal_session watch(toy.root());
  watch.wait_for("checking (");
  report::expect_golden("watch_first_start.txt", without_moment(watch.text()));
  open_gate();
  watch.wait_for("no overlap");
  EXPECT_THAT(watch.text(), Not(HasSubstr("Welcome")));
}

TEST_F(Watch, PredictionsAreAskedBeforeTheFirstCheckAndShownBesideWhatItMeasured) {
  know_the_learner();
  toy.write(
      "lessons/01_first_steps/predict.json",
      R"({"questions": [{"id": "time", "question": "How long does it take as the file comes?", "unit": "ms",
                "field": "figures.took_ms", "answered_by": "as_it_comes", "tolerance": 1}]})");
  report::result record = toy_result(run_verdict::no_overlap);
  record.figures = {{"took_ms", 2.5}};
  prepare(1, run_verdict::no_overlap, untouched, record);
  terminal_session watch(toy.root());
  watch.wait_for("what do you expect?");
  EXPECT_EQ(starts(), 0);
  watch.press("soon\r");
  watch.wait_for("The answer is a number");
  report::expect_golden("watch_predict.txt", watch.text());
  watch.press(
      "\x7f\x7f\x7f\x7f"
      "0.6\r");
  watch.wait_for("measured 2.5 ms");
  report::expect_golden("watch_predicted.txt", watch.text());
  EXPECT_THAT(toy.read(".streamlings/predictions/01_first_steps.json"), HasSubstr("\"time\": \"0.6\""));
}

TEST_F(Watch, AFailureShowsItsFirstReasonOnEightyByTwentyFour) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  report::expect_golden("watch_failed.txt", watch.text());
}

TEST_F(Watch, APassLeadsToTheNextLesson) {
  know_the_learner();
  prepare(1, run_verdict::pass);
  terminal_session watch(toy.root());
  watch.wait_for("PASSED");
  watch.wait_for("1/2");
  report::expect_golden("watch_passed.txt", watch.text());
  watch.press("n");
  watch.wait_for("Lesson 02 next_steps: no overlap");
  EXPECT_THAT(toy.read(".streamlings/state.txt"), HasSubstr("current next_steps"));
  watch.press("p");
  watch.wait_for("Lesson 01 First steps: PASSED");
}

TEST_F(Watch, APassThatWasNotNotedBeforeAKillIsNotedAtTheNextStart) {
  know_the_learner();
  prepare(1, run_verdict::pass);
  std::filesystem::create_directories(toy.record());
  std::filesystem::copy(toy.root() / "prepared01", toy.record(), std::filesystem::copy_options::recursive);
  terminal_session watch(toy.root());
  watch.wait_for("1/2");
  EXPECT_THAT(toy.read(".streamlings/state.txt"), HasSubstr("done first_steps "));
  EXPECT_EQ(starts(), 0);
}

TEST_F(Watch, CompilerErrorsAreShownAsTheCompilerMadeThem) {
  know_the_learner();
  report::result record = toy_result(run_verdict::compile_error);
  record.criteria.clear();
  record.compiler_output =
      toy.root().string() +
      "/lessons/01_first_steps/first_steps.cu:7:3: error: 'cudaMemcpyAsnyc' was not declared in this scope; did "
      "you mean 'cudaMemcpyAsync'?\n    7 |   cudaMemcpyAsnyc(device, host, bytes, cudaMemcpyDefault);\n"
      "      |   ^~~~~~~~~~~~~~~\n";
  prepare(1, run_verdict::compile_error, untouched, record);
  terminal_session watch(toy.root());
  watch.wait_for("compile error");
  report::expect_golden("watch_compile_error.txt", watch.text());
}

TEST_F(Watch, HintsGoDeeperWithEachKey) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("h");
  watch.wait_for("Hint 1 of 3, for StepsAreTaken");
  report::expect_golden("watch_hint.txt", watch.text());
  watch.press("h");
  watch.wait_for("Hint 2 of 3");
  watch.press("hh");
  watch.wait_for("./streamlings hint 01 --all");
}

TEST_F(Watch, AfterAPassNoHintIsNeeded) {
  know_the_learner();
  prepare(1, run_verdict::pass);
  terminal_session watch(toy.root());
  watch.wait_for("PASSED");
  watch.press("h");
  watch.wait_for("no hint is needed");
}

TEST_F(Watch, TheListGoesToTheChosenLesson) {
  know_the_learner();
  prepare(1, run_verdict::pass);
  terminal_session watch(toy.root());
  watch.wait_for("1/2");
  watch.press("l\x1b[B");
  watch.wait_for(">   02");
  report::expect_golden("watch_list.txt", watch.text());
  watch.press("\r");
  watch.wait_for("Lesson 02 next_steps");
}

TEST_F(Watch, TheListIsSearchedAndFiltered) {
  know_the_learner();
  prepare(1, run_verdict::pass);
  terminal_session watch(toy.root());
  watch.wait_for("1/2");
  watch.press("l/NEXT");
  watch.wait_for("with \"NEXT_\"");
  report::expect_golden("watch_list_search.txt", watch.text());
  watch.press("\x1b");
  watch.wait_for("01  First");
  watch.press("t");
  watch.wait_for("Lessons: to do");
  EXPECT_THAT(watch.text(), Not(HasSubstr("01  First")));
  watch.press("\r");
  watch.wait_for("Lesson 02 next_steps");
}

TEST_F(Watch, AllLessonsAreCheckedAndACompleteCourseIsFinished) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  prepare(2, run_verdict::pass);
  watch.press("c");
  watch.wait_for("1 of 2 passed");
  report::expect_golden("watch_all.txt", watch.text());
  prepare(1, run_verdict::pass);
  watch.press("\x1b");
  watch.wait_for("no overlap");
  watch.press("c");
  watch.wait_for("You have finished the course.");
  report::expect_golden("watch_finish.txt", watch.text());
}

TEST_F(Watch, ACheckOfAllCanBeStoppedWhileItRuns) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  install_gated(1);
  watch.press("c");
  watch.wait_for("Checking all lessons");
  watch.press("\x1b");
  watch.wait_for("q:quit");
  EXPECT_THAT(watch.text(), HasSubstr("no overlap"));
}

TEST_F(Watch, KeysAnswerWhileACheckRuns) {
  know_the_learner();
  install_gated(1);
  terminal_session watch(toy.root());
  watch.wait_for("checking (");
  watch.press("?");
  watch.wait_for("put the file back");
  report::expect_golden("watch_help.txt", watch.text());
  watch.press("?q");
  EXPECT_EQ(watch.wait_for_end(), 0);
}

TEST_F(Watch, ASaveIsCheckedByItself) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  prepare(1, run_verdict::pass, "int mine;\n");
  save("int mine;\n");
  watch.wait_for("PASSED");
}

TEST_F(Watch, ASaveDuringACheckEndsItAndOnlyTheNewFileIsJudged) {
  know_the_learner();
  install_gated(1);
  terminal_session watch(toy.root());
  watch.wait_until([&] { return starts() == 1; }, "the first check");
  prepare(1, run_verdict::pass, "int mine;\n");
  install_gated(1);
  save("int mine;\n");
  watch.wait_until([&] { return starts() == 2; }, "the second check");
  open_gate();
  watch.wait_for("PASSED");
  EXPECT_EQ(starts(), 2);
}

TEST_F(Watch, InManualModeOnlyTheKeyChecks) {
  know_the_learner();
  terminal_session watch(toy.root(), {24, 80}, {}, std::string("exec ") + STREAMLINGS_PROGRAM + " --manual");
  watch.wait_for("not checked yet");
  save("int mine;\n");
  prepare(1, run_verdict::pass, "int mine;\n");
  watch.press("r");
  watch.wait_for("PASSED");
  save("int other;\n");
  watch.wait_for("The file has changed since this verdict");
  EXPECT_EQ(starts(), 1);
}

TEST_F(Watch, ResetAsksAndKeepsACopy) {
  know_the_learner();
  save("int mine;\n");
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("x");
  watch.wait_for("Put the file back as it was?");
  watch.press("n");
  watch.wait_for("Nothing was changed.");
  watch.press("xy");
  watch.wait_for("Your file is kept; ./streamlings reset 01 --undo brings it back.");
  EXPECT_EQ(toy.read("lessons/01_first_steps/first_steps.cu"), untouched);
}

TEST_F(Watch, TheEditorGetsTheTerminalAndItsSaveIsChecked) {
  know_the_learner();
  toy.install_script("editor", "echo in the editor; echo 'int mine;' > \"$2\"; read line\n");
  terminal_session watch(toy.root(), {24, 80},
                         {"EDITOR='" + (toy.root() / "build/bin/editor").string() + "' --wait"});
  watch.wait_for("no overlap");
  prepare(1, run_verdict::pass, "int mine;\n");
  watch.press("e");
  watch.wait_for("in the editor");
  EXPECT_FALSE(watch.is_alternate());
  EXPECT_TRUE(watch.is_as_before());
  watch.press("\n");
  watch.wait_for("PASSED");
}

TEST_F(Watch, WithoutAnEditorItSaysWhatToSet) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("e");
  watch.wait_for("Set EDITOR");
}

TEST_F(Watch, TheTimelineOpensInTheBrowser) {
  know_the_learner();
  toy.install_check(toy_result(run_verdict::no_overlap));
  toy.install_script("browser", "echo \"$1\" > \"$STREAMLINGS_ROOT/opened.txt\"\n");
  terminal_session watch(toy.root(), {24, 80},
                         {"BROWSER='" + (toy.root() / "build/bin/browser").string() + "'"});
  watch.wait_for("no overlap");
  watch.press("t");
  watch.wait_for("In the browser: .streamlings/records/01/timeline.html");
  const std::string page = (toy.record() / "timeline.html").string();
  watch.wait_until([&] { return toy.read("opened.txt") == page + "\n"; }, "the browser");
  EXPECT_THAT(toy.read(".streamlings/records/01/timeline.html"), HasSubstr("</html>"));
}

TEST_F(Watch, WithoutABrowserThePageIsNamed) {
  know_the_learner();
  toy.install_check(toy_result(run_verdict::no_overlap));
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("t");
  watch.wait_for("Set BROWSER, or open .streamlings/records/01/timeline.html");
}

TEST_F(Watch, ARunWithoutARecordingHasNoTimeline) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("t");
  watch.wait_for("There is no timeline, because the run left no recording.");
}

TEST_F(Watch, APassedRunIsShownAboveTheSolutions) {
  know_the_learner();
  toy.install_check(toy_result(run_verdict::pass));
  toy.write("solutions/01_first_steps/first_steps.cu", "int solved;\n");
  terminal_session watch(toy.root());
  watch.wait_for("PASSED");
  watch.press("s");
  watch.wait_for("The solution\n");
  report::expect_golden("watch_comparison.txt", watch.text());
  watch.press("\x1b");
  watch.wait_for("PASSED");
}

TEST_F(Watch, BeforeAPassTheSolutionIsShownOnlyOnASecondKey) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("s");
  watch.wait_for("Your file has not passed yet. See the solution's run?");
  watch.press("y");
  watch.wait_for("There is nothing to compare");
}

TEST_F(Watch, QuittingGivesTheTerminalBackAndSaysHowToGoOn) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  watch.press("q");
  EXPECT_EQ(watch.wait_for_end(), 0);
  EXPECT_FALSE(watch.is_alternate());
  EXPECT_TRUE(watch.is_as_before());
  EXPECT_THAT(watch.text(), HasSubstr("Lesson 01 First steps: no overlap."));
}

TEST_F(Watch, EverySignalThatEndsItGivesTheTerminalBack) {
  know_the_learner();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
    terminal_session watch(toy.root());
    watch.wait_for("no overlap");
    watch.send(signal);
    const int status = watch.wait_for_end();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(watch.is_as_before()) << signal;
    EXPECT_THAT(watch.bytes(), EndsWith(given_back)) << signal;
  }
}

TEST_F(Watch, CtrlZGoesToTheShellAndBack) {
  know_the_learner();
  terminal_session watch(
      toy.root(), {24, 80}, {},
      std::string("set -m; ") + STREAMLINGS_PROGRAM + "; echo in the shell; read -r line; fg %1");
  watch.wait_for("no overlap");
  watch.press("\x1a");
  watch.wait_for("in the shell");
  EXPECT_FALSE(watch.is_alternate());
  EXPECT_TRUE(watch.is_as_before());
  watch.press("\n");
  watch.wait_for("no overlap");
  watch.press("?");
  watch.wait_for("put the file back");
  watch.press("?q");
  watch.wait_for_end();
}

TEST_F(Watch, ANarrowTerminalGetsTheSameInFewerColumns) {
  know_the_learner();
  terminal_session watch(toy.root(), {16, 40});
  watch.wait_for("no overlap");
  report::expect_golden("watch_narrow.txt", watch.text());
  watch.press(" ");
  watch.wait_for("Ten steps.");
}

TEST_F(Watch, ResizingDrawsAnew) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("c:check all");
  watch.resize({10, 30});
  watch.wait_until_gone("c:check all");
  watch.wait_for("n p r h e t o s l c x ? q");
  watch.resize({24, 80});
  watch.wait_for("c:check all");
}

TEST_F(Watch, NoColorMeansNoColour) {
  know_the_learner();
  terminal_session watch(toy.root(), {24, 80}, {"NO_COLOR=1"});
  watch.wait_for("no overlap");
  EXPECT_THAT(watch.bytes(), Not(HasSubstr("\x1b[1")));
  EXPECT_THAT(watch.bytes(), Not(HasSubstr("\x1b]8")));
}

TEST_F(Watch, ColourIsUsedWithoutNoColor) {
  know_the_learner();
  terminal_session watch(toy.root());
  watch.wait_for("no overlap");
  EXPECT_THAT(watch.bytes(), HasSubstr("\x1b[1;31m"));
}

TEST_F(Watch, ADumbTerminalAndNoWatchGetTheStatus) {
  know_the_learner();
  terminal_session dumb(toy.root(), {24, 80}, {"TERM=dumb"});
  dumb.wait_for("Last check   none yet");
  EXPECT_EQ(dumb.wait_for_end(), 0);
  terminal_session asked(toy.root(), {24, 80}, {},
                         std::string("exec ") + STREAMLINGS_PROGRAM + " --no-watch");
  asked.wait_for("Last check   none yet");
  EXPECT_EQ(asked.wait_for_end(), 0);
}

TEST_F(Watch, ACheckThatIsNotBuiltIsToldAndTheScreenStays) {
  know_the_learner();
  std::filesystem::remove(toy.root() / "build/bin/streamlings-check");
  terminal_session watch(toy.root());
  watch.wait_for("streamlings-check is not built");
  install(2, "");
  watch.press("n");
  watch.wait_for("Lesson 02 next_steps: no overlap");
}

}  // namespace
}  // namespace runner
