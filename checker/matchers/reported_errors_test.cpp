#include "matchers/reported_errors.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

// A launch at line 12 that ends with the first error; the function asks with `asked` and returns the second.
sample_run launches(int error_of_launch, std::int64_t returned, const char* asked = "cudaGetLastError") {
  sample_run run;
  const auto launch = run.call("cudaLaunchKernel", {0, 1}, 12);
  if (error_of_launch != 0) {
    run.recording().calls.at(launch - 1).error_code = error_of_launch;
    run.recording().calls.at(launch - 1).error_name = "cudaErrorInvalidValue";
  }
  if (*asked != 0) run.call(asked, {1, 2}, 13);
  run.answer().set("error", returned);
  return run;
}

TEST(ReportsErrors, PassesWhenTheReturnedErrorAgrees) {
  EXPECT_EQ(ReportsErrors("learner", "error").match(launches(0, 0).learner()).outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(ReportsErrors("learner", "error").match(launches(1, 1).learner()).outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(ReportsErrors("learner", "error", failing_call::required).match(launches(1, 1).learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(ReportsErrors, NamesTheLaunchThatFailedUnnoticed) {
  const verdict found = ReportsErrors("learner", "error").match(launches(1, 0, "").learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "It returned cudaSuccess, although the launch (async_copy.cu:12) "
          "failed with cudaErrorInvalidValue. A launch by <<<>>> returns nothing, and no call of your function asks "
          "for the last error (cudaGetLastError)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(ReportsErrors, NamesTheQuestionThatCameTooEarlyOrFromAnotherThread) {
  sample_run run;
  run.call("cudaGetLastError", {0, 1}, 10);
  const auto launch = run.call("cudaLaunchKernel", {1, 2}, 12);
  run.recording().calls.at(launch - 1).error_code = 1;
  run.answer().set("error", std::int64_t{0});
  const verdict early = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_THAT(early.why.observation,
              HasSubstr("Errors were asked for before that, the last time by cudaGetLastError "
                        "(async_copy.cu:10)."));
  EXPECT_EQ(early.why.where, "async_copy.cu:12, async_copy.cu:10");
  const auto other = run.call("cudaGetLastError", {3, 4}, 14);
  run.recording().calls.at(other - 1).thread = 2;
  EXPECT_EQ(ReportsErrors("learner", "error").match(run.learner()).why.observation, early.why.observation);
  run.recording().calls.front().thread = 2;
  EXPECT_THAT(
      ReportsErrors("learner", "error").match(run.learner()).why.observation,
      HasSubstr(
          "by cudaGetLastError (async_copy.cu:14), in another thread: each has a last error of its own."));
}

/// A call that does not ask for errors, and a later one that does.
sample_run asks_in_the_later_call() {
  sample_run run = launches(1, 0, "");
  run.recording().marks = {{.name = "begin:learner"}, {.name = "end:learner", .after = 1}};
  run.recording().marks.push_back({.name = "begin:other", .after = 1});
  run.call("cudaLaunchKernel", {2, 3}, 12);
  run.call("cudaGetLastError", {4, 5}, 14);
  run.recording().marks.push_back({.name = "end:other", .after = 3});
  return run;
}

TEST(ReportsErrors, NamesTheQuestionThatOnlyOtherCallsOfTheFunctionReach) {
  sample_run run = asks_in_the_later_call();
  run.source() = {"async_copy.cu",
                  std::string(10, '\n') +
                      "void f() {\n  k<<<1, 1>>>();\n  if (is_large) {\n    e = "
                      "cudaGetLastError();\n  }\n}\n",
                  ""};
  const verdict found = ReportsErrors("learner", "error").match(run.part("learner"));
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "Your function did not call cudaGetLastError (async_copy.cu:14), which it reaches in other calls. "
          "async_copy.cu:14 is behind the condition at async_copy.cu:13."));
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:12, async_copy.cu:13");
}

TEST(ReportsErrors, TakesNoOtherFunctionThatBeginsInTheSameHelperForTheSame) {
  sample_run run = asks_in_the_later_call();
  run.recording().callers = {{{{1, 20}}}, {{{1, 30}}}};
  run.recording().calls[0].where.callers = 1;
  run.recording().calls[1].where.callers = 2;
  EXPECT_THAT(ReportsErrors("learner", "error").match(run.part("learner")).why.observation,
              Not(HasSubstr("in other calls")));
}

TEST(ReportsErrors, SaysThatTheFirstQuestionTookTheErrorAwayFromTheSecond) {
  sample_run run = launches(1, 0);
  run.call("cudaGetLastError", {2, 3}, 15);
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "That call took the error away: cudaGetLastError (async_copy.cu:15), which asked after it, was "
          "told cudaSuccess."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13, async_copy.cu:15, async_copy.cu:12");
}

TEST(ReportsErrors, LeadsToTheQuestionWhoseAnswerWasDropped) {
  const verdict found = ReportsErrors("learner", "error").match(launches(1, 0).learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:13, async_copy.cu:12");
  EXPECT_THAT(found.why.observation,
              HasSubstr("Your function was told by cudaGetLastError (async_copy.cu:13)"));
  EXPECT_EQ(found.why.read_next, "What the contract says about what your function returns.");
}

TEST(ReportsErrors, NamesTheOnlyReturnBehindTheAnswerThatWasDropped) {
  sample_run run = launches(1, 0);
  run.source() = {
      "async_copy.cu",
      "cudaError_t take() {\n  launch();\n  if (cudaGetLastError()) stop();\n  return cudaSuccess;\n}\n", ""};
  for (trace::host_call& call : run.recording().calls) call.where.line -= 10;
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:2, async_copy.cu:4");
  EXPECT_THAT(found.why.observation,
              HasSubstr("The only return behind it is at async_copy.cu:4: `return cudaSuccess;`."));
}

TEST(ReportsErrors, RefusesAnotherErrorThanTheFirst) {
  sample_run run = launches(1, 9);
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation,
              HasSubstr("It returned the error 9, but the first error was cudaErrorInvalidValue (1)"));
  run.answer().set("error.name", "cudaErrorInvalidConfiguration");
  EXPECT_THAT(ReportsErrors("learner", "error").match(run.learner()).why.observation,
              HasSubstr("It returned cudaErrorInvalidConfiguration (9), but the first error was"));
}

TEST(ReportsErrors, LeadsToTheOnlyLineThatNamesTheOtherError) {
  sample_run run = launches(1, 9);
  run.answer().set("error.name", "cudaErrorInvalidConfiguration");
  run.source() = {"async_copy.cu", "int f() {\n  return cudaErrorInvalidConfiguration;\n}\n", ""};
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("No call gave cudaErrorInvalidConfiguration: your file names it at async_copy.cu:2."));
  EXPECT_THAT(found.why.where, testing::StartsWith("async_copy.cu:2"));
}

TEST(ReportsErrors, RefusesAnErrorThatCudaWasNotAskedFor) {
  const verdict found = ReportsErrors("learner", "error").match(launches(1, 1, "").learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "error_not_asked_for");
}

TEST(ReportsErrors, RefusesToLeaveTheErrorForTheNextCaller) {
  const verdict found =
      ReportsErrors("learner", "error").match(launches(1, 1, "cudaPeekAtLastError").learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "error_left_behind");
  EXPECT_THAT(found.why.observation, HasSubstr("cudaPeekAtLastError does not take the error away."));
}

TEST(ReportsErrors, AnErrorOfALaterLaunchIsNotTheOneThatWasReturned) {
  sample_run run = launches(1, 1);
  const trace::call_id later = run.call("cudaLaunchKernel", {8, 9}, 16);
  run.recording().calls[later - 1].error_code = 9;
  run.recording().calls[later - 1].error_name = "cudaErrorInvalidConfiguration";
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_EQ(found.mistake, "error_left_behind");
  EXPECT_THAT(found.why.observation,
              HasSubstr("left a later error: the launch (async_copy.cu:16) failed with "
                        "cudaErrorInvalidConfiguration"));
}

TEST(ReportsErrors, AQuestionInAnotherThreadDoesNotTakeTheError) {
  sample_run run = launches(1, 1);
  run.recording().calls.front().thread = 2;
  const verdict found = ReportsErrors("learner", "error").match(run.learner());
  EXPECT_EQ(found.mistake, "error_left_behind");
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("cudaPeekAtLastError")));
}

TEST(ReportsErrors, RefusesAnErrorThatNeverHappened) {
  const verdict found = ReportsErrors("learner", "error").match(launches(0, 9).learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("It returned the error 9, although no call failed."));
}

TEST(ReportsErrors, CanRequireThatALaunchFails) {
  const verdict found =
      ReportsErrors("learner", "error", failing_call::required).match(launches(0, 0).learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("no launch failed"));
  EXPECT_EQ(ReportsErrors("learner", "error", failing_call::required).match(launches(0, 9).learner()).mistake,
            "launch_not_tried");
}

TEST(ReportsErrors, OfAFunctionThatCalledNothingSaysThatAndLeadsToTheNameOfItsError) {
  sample_run run;
  run.answer().set("error", std::int64_t{1});
  run.answer().set("error.name", "cudaErrorInvalidValue");
  run.source() = {"async_copy.cu", "int f() {\n  return cudaErrorInvalidValue;\n}\n", ""};
  const verdict found = ReportsErrors("learner", "error", failing_call::required).match(run.learner());
  EXPECT_EQ(found.mistake, "launch_not_tried");
  EXPECT_EQ(found.why.where, "async_copy.cu:2");
  EXPECT_THAT(found.why.observation, HasSubstr("your function returned before any call of CUDA"));
  EXPECT_THAT(found.why.observation, HasSubstr("It returned cudaErrorInvalidValue (1), which no call gave."));
}

}  // namespace
}  // namespace matchers
