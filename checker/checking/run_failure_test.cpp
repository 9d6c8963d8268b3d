#include "checking/run_failure.h"

#include <gmock/gmock.h>

#include <csignal>

namespace checking {
namespace {

using exercise::ending;
using report::run_verdict;

matchers::scheduled_run run_ended(ending how, const std::string& detail = "") {
  matchers::scheduled_run run{.schedule = trace::schedule_kind::slow_copies};
  run.outcome.how = how;
  run.outcome.has_begun = true;
  run.outcome.detail = detail;
  run.outcome.recording.emplace();
  return run;
}

TEST(RunFailure, AFinishedRunWithItsRecordingCanBeJudged) {
  EXPECT_EQ(failure_of(run_ended(ending::finished)), std::nullopt);
}

struct mapping {
  ending how;
  run_verdict verdict;
};

class RunFailureOf : public testing::TestWithParam<mapping> {};

TEST_P(RunFailureOf, EachEndingHasItsVerdictAndFourPlainParts) {
  const auto failure = failure_of(run_ended(GetParam().how));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->verdict, GetParam().verdict);
  EXPECT_THAT(failure->why.observation,
              testing::EndsWith(" It happened in the run with copies ten times slower."));
  EXPECT_NE(failure->why.required, "");
  EXPECT_NE(failure->why.read_next, "");
}

INSTANTIATE_TEST_SUITE_P(Endings, RunFailureOf,
                         testing::Values(mapping{ending::crashed, run_verdict::crashed},
                                         mapping{ending::ended_early, run_verdict::ended_early},
                                         mapping{ending::timed_out, run_verdict::timeout},
                                         mapping{ending::virtual_timed_out, run_verdict::timeout},
                                         mapping{ending::output_limit, run_verdict::output_limit},
                                         mapping{ending::channel_damaged, run_verdict::channel_damaged},
                                         mapping{ending::lesson_broken, run_verdict::infra_error},
                                         mapping{ending::could_not_start, run_verdict::infra_error}));

TEST(RunFailure, ALimitOfRealTimeIsToldFromOneOfCpuTime) {
  matchers::scheduled_run run = run_ended(ending::timed_out);
  EXPECT_FALSE(failure_of(run).value().is_over_real_time);
  run.outcome.is_over_real_time = true;
  EXPECT_TRUE(failure_of(run).value().is_over_real_time);
}

TEST(RunFailure, WhoTookTooMuchMemoryIsNotToldToLookForKill) {
  matchers::scheduled_run run =
      run_ended(ending::crashed, "The program took more memory than its sandbox has.");
  run.outcome.signal = SIGKILL;
  EXPECT_THAT(failure_of(run)->why.read_next, testing::HasSubstr("kill()"));
  run.outcome.has_run_out_of_memory = true;
  EXPECT_EQ(failure_of(run)->why.read_next,
            "Look for memory that is taken again and again, and never given back.");
}

TEST(RunFailure, ARecordingThatCannotBeSoMeansThatSomethingWroteIntoIt) {
  matchers::scheduled_run run = run_ended(ending::finished, "");
  run.contradiction = "Operation 1 (copy, stream 2) ended at 1039 ns.";
  const auto failure = failure_of(run);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->verdict, run_verdict::channel_damaged);
  EXPECT_EQ(
      failure->why.observation,
      "Operation 1 (copy, stream 2) ended at 1039 ns. It happened in the run with copies ten times slower.");
}

TEST(RunFailure, TheDetailOfTheRunIsWhatWasSeen) {
  const auto failure = failure_of(run_ended(ending::crashed, "The program was ended by signal 11."));
  EXPECT_THAT(failure->why.observation, testing::StartsWith("The program was ended by signal 11."));
}

TEST(RunFailure, ADetailBecomesASentenceThatKeepsNamesOfFunctions) {
  const auto of_a_variable = failure_of(run_ended(ending::crashed, "there is no memory for the variable x"));
  EXPECT_THAT(of_a_variable->why.observation, testing::StartsWith("There is no memory for the variable x."));
  const auto of_a_call =
      failure_of(run_ended(ending::crashed, "spin_cycles() was called by host code; only kernels may"));
  EXPECT_THAT(of_a_call->why.observation,
              testing::StartsWith("spin_cycles() was called by host code; only kernels may."));
}

TEST(RunFailure, AProgramThatDoesNotStartIsNotTheLearnersMistake) {
  matchers::scheduled_run run = run_ended(ending::ended_early);
  run.outcome.has_begun = false;
  run.outcome.output = "exercise: error while loading shared libraries: libvirtual_gpu.so";
  const auto failure = failure_of(run);
  EXPECT_EQ(failure->verdict, run_verdict::infra_error);
  EXPECT_THAT(failure->why.observation, testing::HasSubstr("libvirtual_gpu.so"));
}

TEST(RunFailure, ALaterCallIsNamed) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.recording.emplace().marks = {{.name = "begin:learner (first call)"},
                                           {.name = "end:learner (first call)"},
                                           {.name = "begin:learner"}};
  EXPECT_THAT(failure_of(run)->why.observation,
              testing::EndsWith(" It happened in the second call, in the run with copies ten times slower."));
}

TEST(RunFailure, OfMemoryThatWasFreedTheReleaseIsTheFirstPlace) {
  matchers::scheduled_run run = run_ended(ending::crashed, "host code read memory after it was freed");
  run.outcome.recording->files.push_back({"threads.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_used_freed_memory, "read", 0, {1, 4}, {1, 9}}};
  const auto failure = failure_of(run);
  EXPECT_THAT(failure->why.observation, testing::HasSubstr(" It was freed at threads.cu:9."));
  EXPECT_EQ(failure->why.where, "threads.cu:9, threads.cu:4");
  EXPECT_THAT(failure->why.read_next, testing::StartsWith("Until when is the memory used?"));
}

TEST(RunFailure, OfAThreadThatWasNotJoinedTheEarlyReturnIsNamed) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.signal = SIGABRT;
  run.outcome.output = "terminate called without an active exception\n";
  run.outcome.recording->files.push_back({"threads.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 was running", 0, {1, 6}}};
  const matchers::learner_source source{
      "threads.cu", "int f() {\n  std::thread one(g);\n  if (a) return 1;\n  one.join();\n  return 0;\n}\n",
      ""};
  const auto failure = failure_of(run, source);
  EXPECT_THAT(failure->why.observation,
              testing::HasSubstr(
                  "The function also returns at threads.cu:3: each way out has to join the threads first."));
  EXPECT_EQ(failure->why.where, "threads.cu:3, threads.cu:6");
}

TEST(RunFailure, OfACrashWithoutARecordingTheThreadThatIsDetachedIsNamed) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.signal = SIGSEGV;
  run.outcome.recording.reset();
  const matchers::learner_source source{"threads.cu",
                                        "void f() {\n  std::thread one(g);\n  one.detach();\n}\n", ""};
  const auto failure = failure_of(run, source);
  EXPECT_THAT(failure->why.observation,
              testing::HasSubstr("A thread is detached at threads.cu:3: nothing waits"));
  EXPECT_EQ(failure->why.where, "threads.cu:3");
}

TEST(RunFailure, OfAWaitForAMutexTheReturnThatKeepsItLockedIsNamed) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  run.outcome.recording->files.push_back({"threads.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for the end of a thread", 0, {1, 9}},
      {trace::diagnostic_kind::host_thread_stood, "host thread 2 waits for a mutex", 0, {1, 2}}};
  const matchers::learner_source source{
      "threads.cu", "int f() {\n  m.lock();\n  if (a) return 1;\n  m.unlock();\n  return 0;\n}\n", ""};
  const auto failure = failure_of(run, source);
  EXPECT_THAT(failure->why.observation,
              testing::HasSubstr("The function returns at threads.cu:3, behind the lock (threads.cu:2)"));
  EXPECT_EQ(failure->why.where, "threads.cu:3, threads.cu:9, threads.cu:2");
  EXPECT_THAT(failure->why.read_next, testing::HasSubstr("std::lock_guard"));
}

TEST(RunFailure, OfAHangEachThreadHasItsLine) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  run.outcome.recording->files.push_back({"callbacks.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 2 waits for a condition variable", 0, {1, 27}},
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for the end of a thread", 0, {1, 50}}};
  const auto failure = failure_of(run);
  EXPECT_THAT(
      failure->why.observation,
      testing::HasSubstr(
          "Host thread 2 waits for a condition variable (callbacks.cu:27). Host thread 1 waits for the "
          "end of a thread (callbacks.cu:50)."));
  EXPECT_EQ(failure->why.where, "callbacks.cu:27, callbacks.cu:50");
}

TEST(RunFailure, OfAHangWhatAnEarlierCallLeftOverComesFirst) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  run.outcome.recording->files.push_back({"callbacks.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for the end of a thread", 0, {1, 50}}};
  for (const char* const name :
       {"begin:learner (first call)", "call:prepare:0:lanes[0].input", "call:prepare:1:lanes[1].input",
        "call:consume:0", "end:learner (first call)", "begin:learner", "call:prepare:0"})
    run.outcome.recording->marks.push_back({.name = name});
  const matchers::learner_source source{"callbacks.cu", "void run() {\n  work.consume(0);\n}\n", ""};
  const auto failure = failure_of(run, source);
  EXPECT_THAT(
      failure->why.observation,
      testing::StartsWith(
          "Already in the first call, your function called prepare() for number 1 and never consume() "
          "(callbacks.cu:2) for it: what a call leaves over meets the next one. In a later call: Nobody "
          "goes on. Host thread 1 waits"));
  EXPECT_EQ(failure->why.where, "callbacks.cu:2, callbacks.cu:50");
  EXPECT_THAT(failure_of(run)->why.observation, testing::HasSubstr("and never consume() for it"));
  EXPECT_EQ(failure_of(run)->why.where, "callbacks.cu:50");
}

TEST(RunFailure, OfAHangInALaterCallTheOnlyVariableThatIsKeptComesFirst) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  run.outcome.recording->files.push_back({"callbacks.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for the end of a thread", 0, {1, 50}}};
  for (const char* const name : {"begin:learner (first call)", "end:learner (first call)", "begin:learner"})
    run.outcome.recording->marks.push_back({.name = name});
  const auto failure =
      failure_of(run, {"callbacks.cu", "hand_over lanes;\nvoid run() {\n  lanes.take();\n}\n", ""});
  EXPECT_THAT(failure->why.observation,
              testing::HasSubstr("What keeps its value from call to call: `lanes` (callbacks.cu:1)."));
  EXPECT_EQ(failure->why.where, "callbacks.cu:1, callbacks.cu:50");
}

TEST(RunFailure, OfAHangEachStreamThatHasWorkLeftHasItsLine) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  trace::recording& recording = *run.outcome.recording;
  recording.files.push_back({"callbacks.cu"});
  recording.diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for a mutex", 0, {1, 50}}};
  recording.streams = {{.id = 1}, {.id = 2}};
  recording.calls = {
      {.id = 1, .function = trace::api_function::cudaLaunchHostFunc, .where = {1, 30}, .stream = 1}};
  recording.operations = {
      {.id = 1, .kind = trace::operation_kind::host_function, .stream = 1, .issued_by = 1},
      {.id = 2, .kind = trace::operation_kind::host_function, .stream = 1, .issued_by = 1}};
  EXPECT_THAT(failure_of(run)->why.observation,
              testing::HasSubstr(
                  "(callbacks.cu:50). Stream 1 stood at the host function 1 (callbacks.cu:30). It happened"));
  for (trace::operation& operation : recording.operations) operation.end = std::chrono::nanoseconds(1);
  EXPECT_THAT(failure_of(run)->why.observation, testing::HasSubstr("No stream had anything left to do."));
}

TEST(RunFailure, OfAKernelThatNeverEndsTheLineIsWhereItPollsOrItsLaunch) {
  matchers::scheduled_run run = run_ended(ending::virtual_timed_out, "nobody goes on");
  trace::recording& recording = *run.outcome.recording;
  recording.files.push_back({"flags.cu"});
  recording.files.push_back({"gate.h", true});
  recording.calls = {{.id = 1, .function = trace::api_function::cudaLaunchKernel, .where = {1, 30}}};
  recording.diagnostics = {{trace::diagnostic_kind::never_ended, "kernel k polls memory", 1, {1, 4}}};
  EXPECT_THAT(failure_of(run)->why.observation, testing::HasSubstr("Kernel k polls memory (flags.cu:4)."));
  recording.diagnostics.front().where = {2, 7};
  EXPECT_THAT(failure_of(run)->why.observation, testing::HasSubstr("Kernel k polls memory (flags.cu:30)."));
}

TEST(RunFailure, OfACrashTheLineIsThatOfTheThreadThatCrashed) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.recording->files.push_back({"callbacks.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 2 was running", 0, {1, 28}},
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for a mutex", 0, {1, 37}}};
  EXPECT_EQ(failure_of(run)->why.where, "callbacks.cu:28");
}

TEST(RunFailure, OfACrashBehindACallThatFailedItsReasonIsNamed) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  trace::recording& recording = *run.outcome.recording;
  recording.files.push_back({"graphs.cu"});
  recording.calls = {{.id = 1, .function = trace::api_function::cudaGraphDestroy, .where = {1, 69}},
                     {.id = 2,
                      .function = trace::api_function::cudaGraphKernelNodeGetParams,
                      .error_code = 1,
                      .error_name = "cudaErrorInvalidValue",
                      .where = {1, 55}}};
  recording.diagnostics = {{.kind = trace::diagnostic_kind::refused,
                            .message = "the node has been destroyed with its graph",
                            .call = 2,
                            .where = {1, 55},
                            .earlier = {1, 69}}};
  EXPECT_THAT(
      failure_of(run)->why.observation,
      testing::HasSubstr(
          "cudaGraphKernelNodeGetParams (graphs.cu:55) had returned cudaErrorInvalidValue. The node has been destroyed with its "
          "graph. cudaGraphDestroy (graphs.cu:69) had destroyed it."));
  EXPECT_EQ(failure_of(run)->why.where, "graphs.cu:55, graphs.cu:69");
}

TEST(RunFailure, OfACrashBehindTheReturnTheStartOfTheThreadComesFirst) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  trace::recording& recording = *run.outcome.recording;
  recording.files.push_back({"callbacks.cu"});
  recording.calls = {{.id = 1, .thread = 1}, {.id = 2, .thread = 2}};
  recording.host_edges = {{.from = 1, .from_after = 1, .to = 2, .where = {1, 20}}};
  recording.diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 2 was running", 2, {1, 28}}};
  EXPECT_EQ(failure_of(run)->why.where, "callbacks.cu:28");
  recording.marks = {{.name = "begin:learner"}, {.name = "end:learner", .after = 1}};
  EXPECT_EQ(failure_of(run)->why.where, "callbacks.cu:20, callbacks.cu:28");
  EXPECT_THAT(
      failure_of(run)->why.observation,
      testing::HasSubstr("Host thread 2 was started in callbacks.cu:20: nothing lets your function wait"));
  EXPECT_THAT(failure_of(run)->why.observation, testing::HasSubstr("Your function had returned by then"));
  run.outcome.signal = SIGABRT;
  run.outcome.detail = "The program was aborted (SIGABRT): an exception, or abort().";
  EXPECT_THAT(failure_of(run)->why.observation,
              testing::StartsWith("The program was aborted (SIGABRT). Host thread 2 was running"));
  EXPECT_THAT(failure_of(run)->why.read_next, testing::HasSubstr("(join)"));
}

TEST(RunFailure, ACallThatHadFailedBeforeComesFirst) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.recording->files.push_back({"callbacks.cu"});
  run.outcome.recording->diagnostics = {
      {trace::diagnostic_kind::host_thread_stood, "host thread 1 was running", 0, {1, 28}}};
  run.outcome.recording->calls = {{.id = 1,
                                   .function = trace::api_function::cudaMallocManaged,
                                   .error_code = 801,
                                   .error_name = "cudaErrorNotSupported",
                                   .where = {1, 10}}};
  const run_failure failure = failure_of(run).value();
  EXPECT_EQ(failure.why.where, "callbacks.cu:10, callbacks.cu:28");
  EXPECT_THAT(failure.why.observation,
              testing::HasSubstr(
                  "That GPU has no managed memory; where there is some, it is not pinned host memory."));
  run.outcome.recording->calls.front().error_code = trace::out_of_memory;
  EXPECT_THAT(failure_of(run)->why.observation, testing::Not(testing::HasSubstr("no managed memory")));
}

TEST(RunFailure, ADetailBecomesASentence) {
  const auto failure = failure_of(run_ended(ending::virtual_timed_out, "every thread waits for another"));
  EXPECT_THAT(failure->why.observation, testing::StartsWith("Every thread waits for another. It happened"));
}

TEST(RunFailure, AnAbortIsNotTakenForAWrongIndex) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.signal = SIGSEGV;
  EXPECT_THAT(failure_of(run)->why.read_next, testing::HasSubstr("an index past the end"));
  run.outcome.signal = SIGABRT;
  EXPECT_THAT(failure_of(run)->why.read_next, testing::HasSubstr("a std::thread that is not joined"));
}

TEST(RunFailure, MemoryThatHostCodeMayNotUseIsToldWithItsAllocation) {
  matchers::scheduled_run run = run_ended(ending::crashed);
  run.outcome.signal = SIGSEGV;
  run.outcome.recording->files.push_back({"slots.cu"});
  run.outcome.recording->diagnostics = {{trace::diagnostic_kind::host_memory_fault,
                                         "the program gave pinned memory to free()",
                                         0,
                                         {1, 46},
                                         {1, 36}}};
  const auto failure = failure_of(run);
  EXPECT_THAT(failure->why.observation, testing::HasSubstr(" It was allocated at slots.cu:36."));
  EXPECT_EQ(failure->why.where, "slots.cu:46");
  EXPECT_THAT(failure->why.read_next, testing::HasSubstr("which one releases it"));
}

TEST(RunFailure, AFinishedRunWithoutARecordingIsOurMistake) {
  matchers::scheduled_run run = run_ended(ending::finished);
  run.outcome.recording.reset();
  EXPECT_EQ(failure_of(run)->verdict, run_verdict::infra_error);
}

TEST(RunFailure, WhatIsNotSupportedIsNamedWithItsLine) {
  matchers::scheduled_run run = run_ended(ending::finished);
  run.outcome.recording->files.push_back({"lessons/03_async_copy/async_copy.cu"});
  run.outcome.recording->diagnostics = {
      {.kind = trace::diagnostic_kind::not_modelled, .message = "something else"},
      {.kind = trace::diagnostic_kind::not_supported,
       .message = "cudaGraphLaunch is not modelled.",
       .where = {1, 42}}};
  const auto failure = failure_of(run);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->verdict, run_verdict::unsupported);
  EXPECT_EQ(failure->why.observation, "cudaGraphLaunch is not modelled.");
  EXPECT_EQ(failure->why.where, "async_copy.cu:42");
}

}  // namespace
}  // namespace checking
