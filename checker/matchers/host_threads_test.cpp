#include "matchers/host_threads.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

TEST(LaunchedByThreads, CountsTheThreadsThatLaunch) {
  sample_run run;
  run.kernel(run.lane[0], {0, 10}, 12);
  run.kernel(run.lane[1], {10, 20}, 13);
  const verdict found = LaunchedByThreads(2, kernels()).match(run.learner());
  EXPECT_EQ(found.mistake, "plan_not_followed");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_EQ(found.why.observation, "One thread launched them.");
  run.recording().calls.back().thread = 2;
  EXPECT_EQ(LaunchedByThreads(2, kernels()).match(run.learner()).outcome, report::criterion_verdict::pass);
}

/// A kernel that a host thread launches, as if issued at the start.
trace::operation_id kernel_of(sample_run& run, trace::thread_id thread, microseconds_range when, int line) {
  const trace::operation_id kernel = run.kernel(run.lane[thread % 2], when, line);
  run.recording().calls.back().thread = thread;
  return kernel;
}

/// A wait of that thread which ends with the operation.
void wait_for(sample_run& run, trace::thread_id thread, trace::operation_id operation,
              microseconds_range when, int line) {
  const trace::call_id call = run.call("cudaDeviceSynchronize", when, line);
  trace::host_call& waiting = run.recording().calls.at(call - 1);
  waiting.thread = thread;
  waiting.waited_for = {{.kind = trace::constraint_kind::completion,
                         .operation = operation,
                         .until = run.recording().operation_at(operation).end}};
}

TEST(LaunchedByThreads, NamesTheLineThatStartsThem) {
  sample_run run;
  kernel_of(run, 2, {0, 10}, 12);
  run.recording().host_edges = {{.from = 1, .to = 2, .where = {1, 30}}};
  const verdict found = LaunchedByThreads(2, kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:30, async_copy.cu:12");
  EXPECT_EQ(found.why.observation,
            "One thread launched them. Host thread 2 was started in async_copy.cu:30.");
}

TEST(ThreadsWaitForTheirOwnWork, PassesWhenTheyDo) {
  sample_run run;
  const auto mine = kernel_of(run, 2, {0, 100}, 12);
  const auto theirs = kernel_of(run, 3, {0, 100}, 12);
  wait_for(run, 2, mine, {10, 100}, 14);
  wait_for(run, 3, theirs, {10, 100}, 14);
  EXPECT_EQ(ThreadsWaitForTheirOwnWork().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(ThreadsWaitForTheirOwnWork, NamesTheCallThatIsHeldUpByAnother) {
  sample_run run;
  kernel_of(run, 2, {0, 50}, 12);
  const auto theirs = kernel_of(run, 3, {0, 100}, 13);
  wait_for(run, 2, theirs, {10, 100}, 14);
  const verdict found = ThreadsWaitForTheirOwnWork().match(run.learner());
  EXPECT_EQ(found.mistake, "needless_wait");
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
  EXPECT_THAT(found.why.observation, HasSubstr("In host thread 2, cudaDeviceSynchronize"));
  EXPECT_THAT(found.why.observation, HasSubstr("which host thread 3 had queued (async_copy.cu:13)"));
}

TEST(ThreadsWaitForTheirOwnWork, WhatWasOverBeforeHoldsNobodyUp) {
  sample_run run;
  const auto theirs = kernel_of(run, 3, {0, 100}, 13);
  wait_for(run, 2, theirs, {150, 151}, 14);
  EXPECT_EQ(ThreadsWaitForTheirOwnWork().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(ThreadsWorkBesideEachOther, PassesWhenTheirKernelsMeetOrThereIsOneThread) {
  sample_run one;
  kernel_of(one, 2, {0, 50}, 12);
  kernel_of(one, 2, {50, 100}, 12);
  EXPECT_EQ(ThreadsWorkBesideEachOther(kernels()).match(one.learner()).outcome,
            report::criterion_verdict::pass);
  sample_run two;
  kernel_of(two, 2, {0, 50}, 12);
  kernel_of(two, 3, {40, 100}, 12);
  EXPECT_EQ(ThreadsWorkBesideEachOther(kernels()).match(two.learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(ThreadsWorkBesideEachOther, LeadsToTheFirstCallOfTheThreadThatWasKeptOut) {
  sample_run run;
  run.recording().host_edges = {{.from = 1, .to = 2}, {.from = 1, .to = 3}, {.from = 2, .to = 3}};
  kernel_of(run, 2, {0, 50}, 12);
  kernel_of(run, 3, {60, 100}, 13);
  const verdict found = ThreadsWorkBesideEachOther(kernels()).match(run.learner());
  EXPECT_EQ(found.mistake, "host_waits_early");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("a lock, or another wait between the threads, kept it out"));
}

TEST(ThreadsWorkBesideEachOther, NamesTheLockThatTheOtherThreadHoldsWhileItWaits) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void work() {\n  std::lock_guard<std::mutex> lock(shared);\n  launch();\n  wait();\n}\n",
                  ""};
  run.recording().host_edges = {{.from = 1, .to = 2}, {.from = 1, .to = 3}, {.from = 2, .to = 3}};
  const trace::operation_id kernel = kernel_of(run, 2, {0, 50}, 3);
  wait_for(run, 2, kernel, {5, 50}, 4);
  kernel_of(run, 3, {60, 100}, 3);
  const verdict found = ThreadsWorkBesideEachOther(kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:3");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          ": that is behind the lock of the mutex `shared` (async_copy.cu:2), which host thread 2 holds "
          "while it is in cudaDeviceSynchronize (async_copy.cu:4)."));
  run.recording().host_edges.pop_back();  // nothing was passed on
  EXPECT_THAT(ThreadsWorkBesideEachOther(kernels()).match(run.learner()).why.observation,
              HasSubstr("a lock, or another wait between the threads, kept it out"));
}

TEST(ThreadsWorkBesideEachOther, SaysThatTheSecondThreadWasStartedTooLate) {
  sample_run run;
  run.recording().host_edges = {{.from = 1, .to = 2}, {.from = 2, .to = 1}, {.from = 1, .to = 3}};
  kernel_of(run, 2, {0, 50}, 12);
  kernel_of(run, 3, {60, 100}, 13);
  const verdict found = ThreadsWorkBesideEachOther(kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "");
  EXPECT_THAT(found.why.observation, HasSubstr("It was started only when host thread 2 had ended."));
}

TEST(JoinsItsThreads, PassesWhenSomebodyHasJoinedEach) {
  sample_run run;
  run.call("cudaGetLastError", {0, 1}, 11);
  kernel_of(run, 2, {0, 100}, 12);
  run.recording().host_accesses.emplace();
  run.recording().host_edges = {{.from = 2, .from_after = 2, .to = 1, .to_after = 1, .is_join = true}};
  EXPECT_EQ(JoinsItsThreads().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(JoinsItsThreads, NamesTheFirstCallOfAThreadThatOnlyTellsThatItIsDone) {
  sample_run run;
  run.call("cudaGetLastError", {0, 1}, 11);
  kernel_of(run, 2, {0, 100}, 12);
  run.recording().host_accesses.emplace();
  run.recording().host_edges = {{.from = 2, .from_after = 2, .to = 1, .to_after = 1}};
  const verdict found = JoinsItsThreads().match(run.learner());
  EXPECT_EQ(found.mistake, "thread_not_joined");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(found.why.observation, HasSubstr("Nobody had joined host thread 2 by then"));
}

}  // namespace
}  // namespace matchers
