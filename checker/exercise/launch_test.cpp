#include "exercise/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <future>
#include <iterator>
#include <sstream>

namespace {

using exercise::call;
using exercise::ending;
using exercise::launch;
using exercise::launch_options;
using exercise::outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

exercise::message request_of(std::vector<float> input, std::int64_t factor = 10) {
  exercise::message request;
  request.set("input", std::move(input));
  request.set("factor", factor);
  return request;
}

launch_options options_for(const std::string& mode) {
  launch_options options;
  options.program = EXERCISE_TEST_PROGRAM;
  options.requests.emplace(std::vector{request_of({1, 2, 3})});
  options.environment = {{"TEST_MODE", mode}};
  options.limits.real_time = 60s;
  return options;
}

launch_options options_for_own_main(std::vector<std::string> arguments) {
  launch_options options;
  options.program = EXERCISE_TEST_OWN_MAIN;
  options.arguments = std::move(arguments);
  options.limits.real_time = 60s;
  return options;
}

outcome launch_mode(const std::string& mode) { return launch(options_for(mode)); }

std::vector<std::string> marks_of(const outcome& result) {
  std::vector<std::string> names;
  for (const trace::mark& mark : result.recording.value().marks) names.push_back(mark.name);
  return names;
}

bool is_gone(pid_t process) { return kill(process, 0) == -1 && errno == ESRCH; }

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(Launch, BringsBackTheAnswerAndTheRecording) {
  const outcome result = launch_mode("finish");
  EXPECT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.answer().values<float>("output"), ElementsAre(10, 20, 30));
  EXPECT_THAT(marks_of(result), ElementsAre("begin:learner", "end:learner"));
  EXPECT_EQ(result.output, "");
}

TEST(Launch, WithARequestForEachTheProgramMakesThreeCalls) {
  launch_options options = options_for("finish");
  options.requests.emplace({request_of({1, 2, 3}, 20), request_of({1, 2, 3}), request_of({1, 2, 3}, 100)});
  const outcome result = launch(options);
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_THAT(result.answer(call::first).values<float>("output"), ElementsAre(20, 40, 60));
  EXPECT_THAT(result.answer(call::repeated).values<float>("output"), ElementsAre(10, 20, 30));
  EXPECT_THAT(result.answer(call::third).values<float>("output"), ElementsAre(100, 200, 300));
  EXPECT_THAT(marks_of(result),
              ElementsAre("begin:learner (first call)", "end:learner (first call)", "begin:learner",
                          "end:learner", "begin:learner (third call)", "end:learner (third call)"));
}

TEST(Launch, WithoutARequestOfItsOwnTheFirstCallIsLeftOut) {
  launch_options options = options_for("finish");
  options.requests.emplace(std::vector{request_of({1, 2, 3}), request_of({1, 2, 3})});
  const outcome result = launch(options);
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_FALSE(result.answers.contains(call::first));
  EXPECT_THAT(marks_of(result), ElementsAre("begin:learner", "end:learner", "begin:learner (third call)",
                                            "end:learner (third call)"));
}

TEST(Launch, LaterCallsAreGivenWhatTheFirstMeasured) {
  launch_options options = options_for("calibrate");
  options.requests.emplace(std::vector{request_of({1}), request_of({1}), request_of({1})});
  const outcome result = launch(options);
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_EQ(result.answer(call::first).number("calibrated.length"), 5);
  EXPECT_EQ(result.answer(call::repeated).number("calibrated.length"), 6);
  EXPECT_EQ(result.answer(call::third).number("calibrated.length"), 6);
}

TEST(Launch, TheProgramHasItsOwnSurroundings) {
  setenv("STREAMLINGS_PROFILE", "/no/such/profile", 1);
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0", 1);
  const outcome result = launch_mode("look around");
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_EQ(result.answer().integer("saw the channel"), 0);
  EXPECT_EQ(result.answer().integer("has our variables"), 0);
  EXPECT_EQ(result.answer().integer("has a terminal"), 0);
  EXPECT_EQ(result.answer().integer("stdin is empty"), 1);
  EXPECT_EQ(result.answer().integer("own session"), 1);
  EXPECT_EQ(result.answer().integer("cpu limit"), 10);
  EXPECT_EQ(result.answer().integer("core limit"), 0);
  EXPECT_EQ(result.answer().text("locale"), "C");
  EXPECT_EQ(result.answer().text("heap"),
            "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.arena_max=1");
}

TEST(Launch, ALargeRequestAndAnswerComeThrough) {
  launch_options options = options_for("finish");
  options.requests.emplace(std::vector{request_of(std::vector<float>(5'000'001, 0.5F))});
  const outcome result = launch(options);
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_EQ(result.answer().values<float>("output"), std::vector<float>(5'000'001, 5.0F));
}

TEST(Launch, ALargeRecordingComesThrough) {
  const outcome result = launch_mode("large recording");
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  ASSERT_EQ(result.recording.value().operations.size(), 100'000U);
  EXPECT_EQ(result.recording->operations.back().end, trace::nanoseconds(100'001));
}

TEST(Launch, ANullWriteIsACrash) {
  const outcome result = launch_mode("crash");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_FALSE(result.recording.has_value());
}

TEST(Launch, AnUncaughtExceptionIsACrashThatSaysSo) {
  const outcome result = launch_mode("throw");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_EQ(result.signal, SIGABRT);
  EXPECT_THAT(result.detail, HasSubstr("exception"));
  EXPECT_THAT(result.output, HasSubstr("nobody catches this"));
}

TEST(Launch, AnEndlessLoopIsEndedAtTheTimeLimit) {
  launch_options options = options_for("loop");
  options.limits.real_time = 300ms;
  const outcome result = launch(options);
  EXPECT_EQ(result.how, ending::timed_out);
  EXPECT_THAT(result.detail, HasSubstr("0.3 seconds"));
  EXPECT_GE(result.real_time, 300ms);
  EXPECT_TRUE(result.is_over_real_time);
}

TEST(Launch, CpuTimeThatIsUsedUpIsATimeLimitToo) {
  const outcome result = launch_mode("use up the cpu time");
  EXPECT_EQ(result.how, ending::timed_out);
  EXPECT_FALSE(result.is_over_real_time);
}

TEST(Launch, AReportThatHasBegunIsNotInterruptedByTheTimeLimit) {
  const outcome result = launch_mode("time is up while it reports");
  EXPECT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_TRUE(result.recording.has_value());
}

TEST(Launch, AProgramThatStopsItselfIsEndedAtTheTimeLimit) {
  launch_options options = options_for("stop itself");
  options.limits.real_time = 300ms;
  options.limits.last_words = 100ms;
  EXPECT_EQ(launch(options).how, ending::timed_out);
}

TEST(Launch, ExitInTheLearnersPartIsAnEarlyEnd) {
  const outcome result = launch_mode("exit");
  EXPECT_EQ(result.how, ending::ended_early);
  EXPECT_EQ(result.exit_status, 0);
}

TEST(Launch, AnEndInAConstructorBeforeMainIsNoticed) {
  EXPECT_EQ(launch_mode("constructor _Exit").how, ending::ended_early);
  EXPECT_EQ(launch_mode("constructor exit").how, ending::ended_early);
  EXPECT_EQ(launch_mode("constructor crash").how, ending::crashed);
}

TEST(Launch, ARequestThatNobodyReadsDoesNotHold) {
  launch_options options = options_for("constructor _Exit");
  options.requests.emplace(std::vector{request_of(std::vector<float>(5'000'000))});
  EXPECT_EQ(launch(options).how, ending::ended_early);
}

TEST(Launch, PrintedResultsAreShownAndNotBelieved) {
  const outcome result = launch_mode("print passed and exit");
  EXPECT_EQ(result.how, ending::ended_early);
  EXPECT_EQ(result.output, "[  PASSED  ] 7 tests.\n");
}

TEST(Launch, BothStreamsAreKeptInTheOrderOfPrinting) {
  EXPECT_EQ(launch_mode("print to both").output, "first second third");
}

TEST(Launch, AFloodOfOutputIsEndedAtTheLimit) {
  launch_options options = options_for("flood");
  options.limits.output_bytes = 1 << 20;
  options.limits.kept_output_bytes = 1000;
  const outcome result = launch(options);
  EXPECT_EQ(result.how, ending::output_limit);
  EXPECT_TRUE(result.output_was_cut);
  EXPECT_LT(result.output.size(), 1100U);
}

TEST(Launch, InheritedOutputPassesThrough) {
  launch_options options = options_for("print passed");
  options.output = exercise::program_output::inherited;
  testing::internal::CaptureStdout();
  const outcome result = launch(options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[  PASSED  ] 7 tests.\n");
  EXPECT_EQ(result.how, ending::finished);
  EXPECT_EQ(result.output, "");
}

TEST(Launch, GarbageOnEveryLowDescriptorChangesNothing) {
  const outcome result = launch_mode("garbage everywhere");
  EXPECT_THAT(result.how, testing::AnyOf(ending::finished, ending::channel_damaged));
  if (result.how == ending::finished) {
    EXPECT_THAT(result.answer().values<float>("output"), ElementsAre(10, 20, 30));
  }
}

TEST(Launch, GarbageInTheChannelIsNoticed) {
  const outcome result = launch_mode("garbage in sockets");
  EXPECT_EQ(result.how, ending::channel_damaged);
  EXPECT_THAT(result.detail, HasSubstr("private channel"));
  EXPECT_TRUE(result.answers.empty());
}

TEST(Launch, ADescriptorThatIsNoAnswerIsNoticed) {
  const outcome result = launch_mode("descriptors in sockets");
  EXPECT_EQ(result.how, ending::channel_damaged);
  EXPECT_THAT(result.detail, HasSubstr("private channel"));
}

TEST(Launch, AClosedChannelIsAnEarlyEnd) {
  const outcome result = launch_mode("close sockets");
  EXPECT_EQ(result.how, ending::ended_early);
  EXPECT_THAT(result.output, HasSubstr("could not be sent"));
}

TEST(Launch, ADaemonDoesNotOutliveTheRun) {
  const outcome result = launch_mode("leave a daemon");
  ASSERT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_TRUE(is_gone(static_cast<pid_t>(result.answer().integer("daemon"))));
}

TEST(Launch, ADaemonDoesNotOutliveALimit) {
  launch_options options = options_for("leave a daemon and flood");
  options.limits.output_bytes = 1 << 20;
  const outcome result = launch(options);
  ASSERT_EQ(result.how, ending::output_limit);
  EXPECT_TRUE(is_gone(std::stoi(result.output)));
}

TEST(Launch, AForkedCopyOfTheExerciseDoesNotAnswer) {
  const outcome result = launch_mode("fork and return twice");
  EXPECT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_THAT(result.answer().values<float>("output"), ElementsAre(10, 20, 30));
}

TEST(Launch, KillingTheProcessThatWatchesEndsTheProgram) {
  const outcome result = launch_mode("kill the parent");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_THAT(result.detail, HasSubstr("watched over"));
}

TEST(Launch, AMarkThatComesTwiceIsDamage) {
  const outcome result = launch_mode("mark again");
  EXPECT_EQ(result.how, ending::channel_damaged);
  EXPECT_THAT(result.detail, HasSubstr("'begin:learner' came twice"));
  EXPECT_FALSE(result.recording.has_value());
}

/// Of "12 34\n".
bool are_gone(const std::string& processes) {
  std::istringstream numbers(processes);
  int count = 0;
  for (pid_t process = 0; numbers >> process; ++count) {
    if (!is_gone(process)) return false;
  }
  return count == 2;
}

TEST(Launch, StoppingTheProcessThatWatchesEndsTheProgram) {
  const outcome result = launch_mode("stop the parent");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_THAT(result.detail, HasSubstr("stopped the process"));
  EXPECT_TRUE(are_gone(result.output)) << result.output;
}

TEST(Launch, AStoppedWatcherDoesNotHoldAtALimit) {
  launch_options options = options_for("stop the parent and flood");
  options.limits.output_bytes = 1 << 20;
  options.limits.grace = 100ms;
  EXPECT_EQ(launch(options).how, ending::output_limit);
}

TEST(Launch, WhatLivesOnWithoutItsWatcherIsEndedByTheCaller) {
  const outcome result = launch_mode("kill the parent and live on");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_THAT(result.detail, HasSubstr("killed the process"));
  EXPECT_TRUE(are_gone(result.output)) << result.output;
}

TEST(Launch, TheProgramSaysThatItHasBegun) {
  EXPECT_TRUE(launch_mode("constructor crash").has_begun);
  launch_options options;
  options.program = "/bin/true";
  EXPECT_FALSE(launch(options).has_begun);
}

TEST(Launch, AMissingOrUnreadNameIsAMistakeOfTheLesson) {
  const outcome missing = launch_mode("missing name");
  EXPECT_EQ(missing.how, ending::lesson_broken);
  EXPECT_THAT(missing.detail, HasSubstr("'elements'"));
  const outcome unread = launch_mode("unread name");
  EXPECT_EQ(unread.how, ending::lesson_broken);
  EXPECT_THAT(unread.detail, HasSubstr("'factor'"));
}

TEST(Launch, ABackendThatThrowsIsNotTheLearnersMistake) {
  const outcome result = launch_mode("backend throws");
  EXPECT_EQ(result.how, ending::lesson_broken);
  EXPECT_THAT(result.detail, HasSubstr("the test backend is broken"));
}

TEST(Launch, TheLimitOfVirtualTimeComesWithTheRecordingSoFar) {
  const outcome result = launch_mode("virtual limit");
  EXPECT_EQ(result.how, ending::virtual_timed_out);
  EXPECT_EQ(result.detail, "Virtual time reached its limit.");
  EXPECT_THAT(marks_of(result), ElementsAre("begin:learner"));
}

TEST(Launch, AFailureWhileTheRecordingIsFinishedIsReported) {
  const outcome result = launch_mode("endless finish");
  EXPECT_EQ(result.how, ending::virtual_timed_out);
  EXPECT_FALSE(result.recording.has_value());
}

TEST(Launch, AFaultIsACrashWithItsReason) {
  const outcome result = launch_mode("fault");
  EXPECT_EQ(result.how, ending::crashed);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.detail, "The host wrote to device memory.");
  EXPECT_THAT(marks_of(result), ElementsAre("begin:learner"));
}

TEST(Launch, AProgramThatCannotBeStartedIsNamed) {
  launch_options options = options_for("finish");
  options.program = "/nowhere/exercise";
  const outcome result = launch(options);
  EXPECT_EQ(result.how, ending::could_not_start);
  EXPECT_THAT(result.detail, HasSubstr("/nowhere/exercise"));
}

TEST(Launch, AProgramWithItsOwnMainSendsItsRecordingAfterItsDestructors) {
  const outcome result = launch(options_for_own_main({"return"}));
  EXPECT_EQ(result.how, ending::finished) << result.detail;
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_THAT(marks_of(result), ElementsAre("begin:main", "begin:static destructor"));
}

TEST(Launch, AProgramWithItsOwnMainMayEndInItsOwnWay) {
  const outcome exited = launch(options_for_own_main({"exit"}));
  EXPECT_EQ(exited.how, ending::finished);
  EXPECT_EQ(exited.exit_status, 5);
  const outcome cut = launch(options_for_own_main({"_exit"}));
  EXPECT_EQ(cut.how, ending::ended_early);
  EXPECT_EQ(cut.exit_status, 4);
  EXPECT_FALSE(cut.recording.has_value());
  EXPECT_EQ(launch(options_for_own_main({"crash"})).how, ending::crashed);
}

TEST(Launch, SeveralRunsAtOnceDoNotDisturbEachOther) {
  std::vector<std::future<outcome>> runs;
  for (int count = 0; count < 4; ++count)
    runs.push_back(std::async(std::launch::async, launch_mode, "leave a daemon"));
  for (auto& run : runs) {
    const outcome result = run.get();
    EXPECT_EQ(result.how, ending::finished) << result.detail;
    EXPECT_TRUE(is_gone(static_cast<pid_t>(result.answer().integer("daemon"))));
  }
}

TEST(Launch, LeavesNoDescriptorOpen) {
  const auto before = open_descriptors();
  launch_mode("finish");
  launch_mode("crash");
  launch_mode("descriptors in sockets");
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
