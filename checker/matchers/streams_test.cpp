#include "matchers/streams.h"

#include <gmock/gmock.h>

#include "matchers/facts/value_lines.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(UsesTheStreamsItIsGiven, NamesTheWorkInAStreamOfItsOwn) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 10}, 10);
  EXPECT_EQ(UsesTheStreamsItIsGiven().match(run.learner()).outcome, report::criterion_verdict::pass);
  run.recording().streams.at(2).created_by = run.call("cudaStreamCreate", {10, 11}, 11);
  run.kernel(run.lane[1], {20, 30}, 12);
  const verdict found = UsesTheStreamsItIsGiven().match(run.learner());
  EXPECT_EQ(found.mistake, "stream_of_its_own");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(KeepsOutOfTheLegacyStream, NamesTheWorkInIt) {
  sample_run run;
  run.kernel(run.lane[0], {0, 10}, 10);
  EXPECT_EQ(KeepsOutOfTheLegacyStream().match(run.learner()).outcome, report::criterion_verdict::pass);
  run.kernel(run.default_stream, {20, 30}, 12);
  EXPECT_EQ(KeepsOutOfTheLegacyStream().match(run.learner()).why.where, "async_copy.cu:12");
}

TEST(DestroysItsStreams, PassesWhenEachIsDestroyed) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  run.recording().streams.at(1).destroyed_by = run.call("cudaStreamDestroy", {1, 2}, 12);
  EXPECT_EQ(DestroysItsStreams().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(DestroysItsStreams, NamesTheCallThatCreatedTheOneLeftOver) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  run.recording().streams.at(2).created_by = run.call("cudaStreamCreate", {1, 2}, 11);
  run.recording().streams.at(1).destroyed_by = run.call("cudaStreamDestroy", {2, 3}, 12);
  const verdict found = DestroysItsStreams().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("1 of the 2 streams it created still existed when it returned. The first is stream 2, "
                "from cudaStreamCreate (async_copy.cu:11). Of the others, the first is destroyed by "
                "cudaStreamDestroy (async_copy.cu:12)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:11, async_copy.cu:12");
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
}

TEST(DestroysItsStreams, FailsWhenNoneIsCreated) {
  sample_run run;  // its two streams are the caller's
  const verdict found = DestroysItsStreams().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("It created no stream."));
}

TEST(DestroysItsEvents, NamesTheCallThatMadeTheOneLeftOver) {
  sample_run run;
  EXPECT_EQ(DestroysItsEvents().match(run.learner()).why.observation,
            "Your function made no event. It returned before any call of CUDA.");
  const trace::call_id made = run.call("cudaEventCreate", {0, 1}, 10);
  run.recording().events = {{.id = 1, .created_by = made}};
  const verdict found = DestroysItsEvents().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "event_left_over");
  EXPECT_EQ(found.why.where, "async_copy.cu:10");
  run.recording().events[0].destroyed_by = run.call("cudaEventDestroy", {1, 2}, 11);
  EXPECT_EQ(DestroysItsEvents().match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(DestroysItsEvents, NamesTheCallThatOverwroteTheHandle) {
  sample_run run;
  const trace::call_id made = run.call("cudaEventCreate", {0, 1}, 10);
  const trace::call_id again = run.call("cudaEventCreate", {1, 2}, 11);
  const trace::call_id destroyed = run.call("cudaEventDestroy", {2, 3}, 12);
  run.recording().events = {{.id = 1, .created_by = made, .overwritten_by = again},
                            {.id = 2, .created_by = again, .destroyed_by = destroyed}};
  const verdict found = DestroysItsEvents().match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("cudaEventCreate (async_copy.cu:11) put another into the same variable"));
  EXPECT_EQ(found.why.where, "async_copy.cu:10, async_copy.cu:11");
}

TEST(WaitsForNoDefaultStream, FailsForAStreamOfItsOwnThatBlocks) {
  sample_run run;
  run.kernel(run.default_stream, {0, 10}, 11);
  run.kernel(run.lane[0], {10, 20}, 12);
  EXPECT_EQ(WaitsForNoDefaultStream().match(run.learner()).outcome, report::criterion_verdict::pass);
  run.recording().streams.at(1).blocking = trace::stream_blocking::blocking;
  EXPECT_EQ(WaitsForNoDefaultStream().match(run.learner()).outcome, report::criterion_verdict::pass)
      << "the stream is the caller's";
  run.recording().streams.at(1).created_by = 1;
  const verdict found = WaitsForNoDefaultStream().match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "blocking_stream");
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
}

// A kernel in each lane; the first lane has priority -2, the second 0.
sample_run two_priorities() {
  sample_run run;
  run.recording().streams[1].priority = -2;
  run.recording().streams[1].created_by = run.call("cudaStreamCreateWithPriority", {0, 1}, 9);
  run.recording().streams[2].created_by = run.call("cudaStreamCreate", {1, 2}, 10);
  run.kernel(run.lane[0], {10, 20}, 12);
  run.kernel(run.lane[1], {20, 30}, 13);
  return run;
}

operation_set kernels_of_the_first_lane() {
  return {"urgent kernels",
          [](const trace::operation& operation) { return operation.stream == sample_run::lane[0]; }};
}

TEST(RunsAtPriority, PassesWhenTheStreamHasIt) {
  sample_run run = two_priorities();
  run.answer().set("urgent", std::int64_t{-2});
  EXPECT_EQ(RunsAtPriority(kernels_of_the_first_lane(), "urgent").match(run.learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(RunsAtPriority, NamesTheFirstOperationElsewhereAndWhereItsStreamComesFrom) {
  sample_run run = two_priorities();
  run.answer().set("urgent", std::int64_t{-2});
  const verdict found = RunsAtPriority(kernels(), "urgent").match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
  EXPECT_EQ(
      found.why.observation,
      "The kernel transform 2 in stream 2 has priority 0. The stream comes from cudaStreamCreate "
      "(async_copy.cu:10). None of your calls before it asks what the greatest priority of the device is: -2.");
  EXPECT_EQ(found.why.where, "async_copy.cu:10");
}

TEST(RunsAtPriority, NamesTheOrderOfTheRangeThatWasAskedFor) {
  sample_run run = two_priorities();
  run.answer().set("urgent", std::int64_t{-2});
  trace::stream& stream = run.recording().streams.at(run.lane[1] - 1);
  run.call("cudaDeviceGetStreamPriorityRange", {0, 1}, 8);
  stream.created_by = run.call("cudaStreamCreateWithPriority", {1, 2}, 9);
  const verdict found = RunsAtPriority(kernels(), "urgent").match(run.learner());
  EXPECT_EQ(
      found.why.observation,
      "The kernel transform 2 in stream 2 has priority 0. The stream comes from cudaStreamCreateWithPriority "
      "(async_copy.cu:9). cudaDeviceGetStreamPriorityRange (async_copy.cu:8) stores the least priority, 0, through "
      "its first argument, and the greatest, -2, through its second.");
  EXPECT_EQ(found.why.where, "async_copy.cu:9");
}

TEST(RunsAtPriority, FailsWhenThereIsNothing) {
  sample_run run;
  run.answer().set("urgent", std::int64_t{0});
  EXPECT_EQ(RunsAtPriority(kernels(), "urgent").match(run.learner()).outcome,
            report::criterion_verdict::fail);
}

TEST(UsesStreams, CountsTheStreamsThatHoldWork) {
  sample_run run;
  run.kernel(run.lane[0], {0, 90}, 11);
  run.kernel(run.lane[1], {0, 90}, 12);
  run.copy_to_host(run.lane[0], {90, 100}, 13);
  run.marker(trace::operation_kind::event_record, run.default_stream, 100, 14);
  run.answer().set("streams", std::int64_t{2});
  EXPECT_EQ(UsesStreams("streams").match(run.learner()).outcome, report::criterion_verdict::pass);
  run.answer().set("streams", std::int64_t{3});
  const verdict found = UsesStreams("streams").match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "plan_not_followed");
  EXPECT_EQ(found.why.observation, "It was in 2.");
  EXPECT_EQ(found.why.where, "async_copy.cu:11");
}

TEST(UsesStreams, QuotesTheLinesThatChooseTheStreamAndNoOthers) {
  sample_run run;
  run.source() = {"async_copy.cu",
                  "void f(const work& work, int streams) {\n"
                  "  const int blocks = work.blocks;\n"
                  "  const cudaStream_t stream = work.streams[7];\n"
                  "  advance<<<blocks, 1, 0, stream>>>(work.values);\n"
                  "}\n",
                  ""};
  run.kernel(run.lane[0], {0, 90}, 4);
  run.answer().set("streams", std::int64_t{3});
  verdict found = UsesStreams("streams").match(run.learner());
  quote_lines(run.source(), found.mistake, found.why);
  EXPECT_EQ(found.why.where, "async_copy.cu:3, async_copy.cu:4");
  EXPECT_EQ(found.why.observation, "It was in 1. The stream is chosen at async_copy.cu:3.");
  EXPECT_EQ(found.why.quoted, "const cudaStream_t stream = work.streams[7];");
  EXPECT_THAT(found.why.values, testing::IsEmpty());
}

TEST(UsesStreams, SaysWhereTheNumberIsThatOfTheChooserAndNotTheOneGiven) {
  sample_run run;
  run.kernel(run.lane[0], {0, 90}, 11);
  run.kernel(run.lane[1], {0, 90}, 12);
  run.answer().set("streams", std::int64_t{3});
  run.answer().set("streams_for", std::int64_t{2});
  EXPECT_EQ(
      UsesStreams("streams", "streams_for").match(run.learner()).why.observation,
      "It was in 2. That is the number that streams_for() returned in this call, and your function was given another.");
  run.answer().set("streams_for", std::int64_t{3});
  EXPECT_EQ(UsesStreams("streams", "streams_for").match(run.learner()).why.observation, "It was in 2.");
}

}  // namespace
}  // namespace matchers
