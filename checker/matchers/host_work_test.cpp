#include "matchers/host_work.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

TEST(HostWorksWhile, PassesWhenTheWorkLiesInsideTheCopies) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("host_work", {10, 90}, 14);
  const verdict found = HostWorksWhile(copies()).at_least(1.0).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "1.00, required 1.00");
}

TEST(HostWorksWhile, DoesNotCountOtherOperations) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("host_work", {50, 150}, 14);
  EXPECT_EQ(HostWorksWhile(copies()).at_least(0.5).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(HostWorksWhile(copies()).at_least(0.51).match(run.learner()).outcome,
            report::criterion_verdict::fail);
  EXPECT_EQ(HostWorksWhile(kernels()).at_least(0.5).match(run.learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(HostWorksWhile, NamesTheLongestWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamSynchronize", {1, 100}, 13);
  run.call("cudaDeviceSynchronize", {100, 101}, 15);
  run.call("host_work", {101, 180}, 16);
  const verdict found = HostWorksWhile(copies()).at_least(0.7).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The host worked for 79 us; copies were running during 0 ns of that (0 %). Its "
          "longest wait before that was in cudaStreamSynchronize (async_copy.cu:13), for 99 us: then all "
          "copies queued so far were done. The work began at async_copy.cu:16."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(HostWorksWhile, CanCountHowOftenTheHostWorks) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("host_work", {10, 30}, 14);
  run.call("host_work", {40, 50}, 14);
  EXPECT_EQ(HostWorksWhile(copies()).in_calls(2).at_least(0.7).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  verdict found = HostWorksWhile(copies()).in_calls(6).at_least(0.7).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.required, HasSubstr("The work of the host is done 6 times"));
  EXPECT_THAT(found.why.observation, HasSubstr("It was done 2 times, at async_copy.cu:14."));
  EXPECT_EQ(found.mistake, "host_task_miscounted");
  EXPECT_EQ(HostWorks(2).match(run.learner()).outcome, report::criterion_verdict::pass);
  EXPECT_EQ(HostWorks(1).match(run.learner()).outcome, report::criterion_verdict::fail);
}

TEST(HostWorksWhile, NamesTheCopyBesideWhichTheHostDidNotWork) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  for (const int begin : {100, 200}) {
    run.copy_to_device(run.lane[0], {begin, begin + 100}, 12);
    run.call("host_work", {begin + 10, begin + 90}, 14);
  }
  run.copy_to_host(run.lane[0], {300, 400}, 15);
  run.call("host_work", {310, 390}, 16);
  const verdict found = HostWorksWhile(copies()).in_calls(4).at_least(0.7).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "It was done 3 times: 2 times at async_copy.cu:14, once at async_copy.cu:16. It did not begin "
          "between the call for the copy H2D 1 of 1.0 MB to the device in stream 2 (async_copy.cu:12) and "
          "that for the next of the copies."));
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:16");
}

/// Host thread 2 works in call 2; thread 1 makes call 3 afterwards.
sample_run work_in_another_thread() {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("host_work", {10, 90}, 14);
  run.recording().calls.back().thread = 2;
  run.call("cudaDeviceSynchronize", {90, 100}, 15);
  return run;
}

TEST(HostWorks, HasToBeOverWhenTheFunctionReturns) {
  sample_run detached = work_in_another_thread();
  const verdict found = HostWorks(1).match(detached.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Host thread 2 did it, and nothing lets your function wait"));
  EXPECT_EQ(found.mistake, "host_task_not_awaited");
  EXPECT_THAT(found.why.observation, HasSubstr("The work began at async_copy.cu:14."));
  detached.source() = {"async_copy.cu", "void f() {\n  std::thread task(work);\n  task.detach();\n}\n", ""};
  const report::evidence why = HostWorks(1).match(detached.learner()).why;
  EXPECT_THAT(why.observation, HasSubstr("The thread is detached in async_copy.cu:3."));
  EXPECT_EQ(why.where, "async_copy.cu:3, async_copy.cu:14");
  detached.recording().host_accesses.reset();
  EXPECT_EQ(HostWorks(1).match(detached.learner()).outcome, report::criterion_verdict::pass)
      << "a recording without the order of threads cannot tell";
  sample_run joined = work_in_another_thread();
  joined.recording().host_edges = {
      {.from = 2, .from_after = 2, .to = 1, .to_after = 3, .from_step = 1, .to_step = 2}};
  EXPECT_EQ(HostWorks(1).match(joined.learner()).outcome, report::criterion_verdict::pass);
}

/// Work in a function of the lesson's, of which only a pointer is passed on, while thread 1 waits in line 15.
sample_run passed_on_work(trace::thread_id thread) {
  sample_run run = work_in_another_thread();
  run.recording().files.push_back({"/course/drive.cpp", true});
  trace::host_call& work = run.recording().calls[1];
  work.where = {static_cast<std::uint32_t>(run.recording().files.size() - 1), 5};
  work.thread = thread;
  run.recording().calls[2].start = std::chrono::microseconds(5);
  return run;
}

TEST(HostWorks, OfWorkInAThreadNamesTheLineThatStartedIt) {
  sample_run run = passed_on_work(2);
  run.recording().host_edges = {{.from = 1, .from_after = 1, .to = 2, .where = {1, 13}}};
  const verdict found = HostWorks(1).match(run.learner());
  EXPECT_THAT(found.why.observation, HasSubstr("The work began in the thread that async_copy.cu:13 starts."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(HostWorksWhileDeviceIsBusy, OfWorkInAHostFunctionNamesTheLineThatQueuedIt) {
  sample_run run = passed_on_work(2);
  run.host_function(run.lane[0], {10, 90}, 11);
  run.recording().operations[0].end = std::chrono::microseconds(1);
  const verdict found = HostWorksWhileDeviceIsBusy().at_least(0.8).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("The work began in the host function 1 in stream 2 (async_copy.cu:11), which could begin "
                "only when all before it in its stream was done."));
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
}

TEST(HostWorksWhileDeviceIsBusy, OfWorkInAHostFunctionOfTheLearnersLeadsFirstToTheLineThatQueuedIt) {
  sample_run run = work_in_another_thread();
  run.host_function(run.lane[0], {10, 90}, 11);
  run.recording().operations[0].end = std::chrono::microseconds(1);
  EXPECT_EQ(HostWorksWhileDeviceIsBusy().at_least(0.8).match(run.learner()).why.where,
            "async_copy.cu:11, async_copy.cu:14");
  run.recording().host_edges = {{.from = 1, .from_after = 1, .to = 2, .where = {1, 13}}};
  EXPECT_THAT(HostWorksWhileDeviceIsBusy().at_least(0.8).match(run.learner()).why.observation,
              testing::Not(HasSubstr("host function")));
}

TEST(HostWorksWhile, FailsWhenTheHostNeverWorks) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 13);
  const verdict found = HostWorksWhile(copies()).at_least(0.1).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("The host task never ran."));
}

TEST(HostWorksWhileDeviceIsBusy, PassesWhenTheWorkLiesInsideBusyTime) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("host_work", {50, 150}, 14);
  const verdict found = HostWorksWhileDeviceIsBusy().at_least(1.0).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "1.00, required 1.00");
}

TEST(HostWorksWhileDeviceIsBusy, FailsWhenTheHostWorksAfterTheWait) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.call("cudaDeviceSynchronize", {1, 100}, 15);
  run.call("host_work", {100, 180}, 16);
  const verdict found = HostWorksWhileDeviceIsBusy().at_least(0.8).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The host worked for 80 us, from 100 us; the GPU was busy during 0 ns of that (0 %). Before that the "
          "host waited for 99 us in cudaDeviceSynchronize (async_copy.cu:15), until all work queued so far was "
          "done. The work began at async_copy.cu:16."));
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(HostWorksWhileDeviceIsBusy, CountsOnlyTheCommonTime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.kernel(run.lane[1], {50, 150}, 13);
  run.call("host_work", {50, 250}, 16);
  EXPECT_EQ(HostWorksWhileDeviceIsBusy().at_least(0.5).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(HostWorksWhileDeviceIsBusy().at_least(0.51).match(run.learner()).outcome,
            report::criterion_verdict::fail);
}

TEST(HostWorksWhileDeviceIsBusy, FailsWhenTheHostNeverWorks) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.call("cudaDeviceSynchronize", {1, 100}, 15);
  const verdict found = HostWorksWhileDeviceIsBusy().at_least(0.1).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("The host task never ran. Your function returned after "
                                               "cudaDeviceSynchronize (async_copy.cu:15)."));
}

TEST(QueuesAllWorkBeforeWaiting, PassesWithSeveralWaitsAtTheEnd) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("cudaStreamSynchronize", {110, 200}, 14);
  run.call("cudaStreamSynchronize", {200, 201}, 15);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, FailsWhenSomethingIsQueuedAfterAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaDeviceSynchronize", {1, 100}, 14);
  run.kernel(run.lane[0], {101, 200}, 13);
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("The host waited once before everything was queued."));
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
  EXPECT_THAT(found.why.observation,
              testing::HasSubstr("cudaDeviceSynchronize (async_copy.cu:14), for 99 us; 1 of the 2"));
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
}

TEST(QueuesAllWorkBeforeWaiting, ASynchronousCopyIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().calls.back().function = trace::api_function::cudaMemcpy;
  run.kernel(run.lane[0], {101, 200}, 13);
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("pageable")));
}

TEST(QueuesAllWorkBeforeWaiting, AnAsynchronousCopyOfPageableMemoryIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().operations.back().source = trace::memory_kind::pageable;
  run.kernel(run.lane[0], {101, 200}, 13);
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("That copy is of pageable memory: only one of pinned memory"));
}

TEST(QueuesAllWorkBeforeWaiting, PollingIsAWaitButAskingOnceIsNot) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamQuery", {100, 101}, 14, run.lane[0]);
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
  run.recording().calls[1].error_code = trace::not_ready;
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, ALoopOfQuestionsIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamQuery", {99, 100}, 14, run.lane[0]);
  run.recording().calls.back().error_code = trace::not_ready;
  run.call("cudaStreamQuery", {100, 101}, 14, run.lane[0]);
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::fail);
}

TEST(QueuesAllWorkBeforeWaiting, QuestionsThatAreFarApartAreNoLoop) {
  const auto judged_with = [](int calls_between) {
    sample_run run;
    const auto asks = [&] {
      run.call("cudaStreamQuery", {99, 100}, 14, run.lane[0]);
      run.recording().calls.back().error_code = trace::not_ready;
    };
    run.copy_to_device(run.lane[0], {0, 100}, 12);
    asks();
    for (int i = 0; i < calls_between; ++i) {
      run.call("cudaGetLastError", {100, 100}, 20);
      run.recording().calls.back().thread = 2;
    }
    asks();
    run.kernel(run.lane[0], {101, 200}, 13);
    return QueuesAllWorkBeforeWaiting().match(run.learner()).outcome;
  };
  EXPECT_EQ(judged_with(900), report::criterion_verdict::fail);
  EXPECT_EQ(judged_with(1100), report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, ASynchronousCopyInsideTheDeviceIsNoWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().calls.back().function = trace::api_function::cudaMemcpy;
  run.recording().operations.back().source = trace::memory_kind::device;
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, FailsWhenNothingIsQueued) {
  sample_run run;
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("Your function queued nothing."));
}

// Thread 1 queues and waits in calls 1 and 2, thread 2 in calls 3 and 4.
sample_run a_thread_for_each_lane() {
  sample_run run;
  for (const int lane : {0, 1}) {
    run.copy_to_device(run.lane[lane], {100 * lane, 100 * lane + 90}, 12);
    run.recording().calls.back().thread = lane + 1;
    run.call("cudaStreamSynchronize", {100 * lane + 1, 100 * lane + 90}, 13);
    run.recording().calls.back().thread = lane + 1;
  }
  return run;
}

TEST(QueuesAllWorkBeforeWaiting, EachThreadMayWaitForItsOwnStream) {
  sample_run run = a_thread_for_each_lane();
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, WithoutTheOrderOfThreadsTheirTimesTell) {
  sample_run late = a_thread_for_each_lane();  // thread 2 begins when the wait of thread 1 has ended
  late.recording().host_accesses.reset();
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(late.learner()).outcome, report::criterion_verdict::fail);
  sample_run early = a_thread_for_each_lane();
  early.recording().host_accesses.reset();
  early.recording().calls.at(2).start = std::chrono::microseconds(50);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(early.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAllWorkBeforeWaiting, AThreadThatGoesOnOnlyAfterAWaitQueuesTooLate) {
  sample_run run = a_thread_for_each_lane();
  run.recording().host_edges = {
      {.from = 1, .from_after = 2, .to = 2, .to_after = 0, .from_step = 1, .to_step = 2}};
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "host_waits_early");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(QueuesAllWorkBeforeWaiting, AWaitForAHostFunctionIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const trace::operation_id tells = run.host_function(run.lane[0], {100, 101}, 14);
  run.recording().calls.back().start = std::chrono::microseconds(1);
  run.recording().calls.back().end = std::chrono::microseconds(2);
  run.recording().host_edges = {
      {.from_operation = tells, .to = 1, .to_after = 2, .from_step = 1, .to_step = 2}};
  run.kernel(run.lane[0], {102, 200}, 13);
  const verdict found = QueuesAllWorkBeforeWaiting().match(run.learner());
  EXPECT_EQ(found.mistake, "host_waits_early");
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
  EXPECT_THAT(found.why.observation, HasSubstr("1 of the 2 operations were queued only after that"));
  // A thread that is busy with a call while the function runs did not wait for it.
  run.recording().calls.back().start = std::chrono::microseconds(99);
  EXPECT_EQ(QueuesAllWorkBeforeWaiting().match(run.learner()).outcome, report::criterion_verdict::pass);
}

}  // namespace
}  // namespace matchers
