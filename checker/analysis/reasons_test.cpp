#include "analysis/reasons.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace analysis {
namespace {

using trace::memory;
using trace::recording_builder;

using std::chrono::microseconds;
using trace::constraint_kind;

/// Copies and kernels in two streams; each test says what they waited for, and when they ran.
struct reasons_test : testing::Test {
  recording_builder program;
  trace::stream_id one = program.create_stream();
  trace::stream_id two = program.create_stream();
  memory pinned = program.allocate(trace::memory_kind::pinned, 4096);
  memory device = program.allocate(trace::memory_kind::device, 4096);
  trace::recording recording;

  void record() { recording = program.recording(); }
  void ran(trace::operation_id id, int start, int end, std::vector<trace::constraint> waited_for) {
    recording.operations[id - 1].start = microseconds(start);
    recording.operations[id - 1].end = microseconds(end);
    recording.operations[id - 1].waited_for = std::move(waited_for);
  }
  void ran_unknown(trace::operation_id id, int start, int end) {
    ran(id, start, end, {});
    recording.operations[id - 1].waited_for.reset();
  }
};

TEST_F(reasons_test, TheDecidingConstraintCostsWhatItLetGoLaterThanTheNext) {
  const auto kernel = program.launch("k", one);
  record();
  ran(kernel, 70, 80,
      {{constraint_kind::event, 0, 0, microseconds(70)},
       {constraint_kind::host_issue, 0, 0, microseconds(20)}});
  const auto whole = part_of(recording, "");
  const auto why = reasons(whole).reason_of(kernel);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->constraint.kind, constraint_kind::event);
  EXPECT_EQ(why->cost, microseconds(50));
  EXPECT_FALSE(why->is_inferred);
}

TEST_F(reasons_test, TheRootOfAChainIsTheFirstOfTheStreamThatSomethingElseHeldUp) {
  const auto other = program.launch("long", two);
  const auto first = program.launch("first", one);
  const auto second = program.launch("second", one);
  const auto third = program.launch("third", one);
  record();
  ran(other, 0, 100, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(first, 100, 110, {{constraint_kind::legacy_default, other, 0, microseconds(100)}});
  ran(second, 110, 120, {{constraint_kind::stream_order, first, 0, microseconds(110)}});
  ran(third, 120, 130, {{constraint_kind::stream_order, second, 0, microseconds(120)}});
  const auto whole = part_of(recording, "");
  const link root = reasons(whole).root_of(third);
  EXPECT_EQ(root.operation, first);
  EXPECT_EQ(root.why->constraint.kind, constraint_kind::legacy_default);
}

TEST_F(reasons_test, AChainThatNothingHeldUpIsItsOwnReason) {
  const auto first = program.launch("first", one);
  const auto second = program.launch("second", one);
  record();
  ran(first, 0, 10, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(second, 10, 20, {{constraint_kind::stream_order, first, 0, microseconds(10)}});
  const auto whole = part_of(recording, "");
  EXPECT_EQ(reasons(whole).root_of(second).operation, second);
}

TEST_F(reasons_test, TheHostWasInTheCallBeforeTheRecordOfAnEvent) {
  const auto event = program.create_event();
  const auto first = program.launch("first", one);
  program.synchronize_stream(one);
  program.record(event, one);
  const auto second = program.launch("second", two);
  record();
  recording.calls[recording.calls.size() - 3].start = microseconds(5);
  recording.calls[recording.calls.size() - 3].end = microseconds(100);
  recording.calls[recording.calls.size() - 2].start = recording.calls[recording.calls.size() - 2].end =
      microseconds(100);
  ran(first, 0, 90, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(second, 101, 110, {{constraint_kind::host_issue, 0, 2, microseconds(101)}});
  const auto whole = part_of(recording, "");
  EXPECT_EQ(name_of(recording.call_at(reasons(whole).link_of(second).host_was_in)), "cudaStreamSynchronize");
}

TEST_F(reasons_test, TheHostWasInTheCallBetweenTheIssues) {
  const auto first = program.launch("first", one);
  program.synchronize_stream(one);
  const auto second = program.launch("second", two);
  record();
  recording.calls[recording.calls.size() - 2].start = microseconds(5);
  recording.calls[recording.calls.size() - 2].end = microseconds(100);
  recording.calls.back().start = recording.calls.back().end = microseconds(100);
  ran(first, 0, 90, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(second, 101, 110, {{constraint_kind::host_issue, 0, 2, microseconds(101)}});
  const auto whole = part_of(recording, "");
  const reasons why(whole);
  EXPECT_EQ(name_of(recording.call_at(why.link_of(second).host_was_in)), "cudaStreamSynchronize");
  const std::vector<link> path = why.critical_path();
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path[0].operation, second);
  EXPECT_EQ(path[1].operation, first);
}

TEST_F(reasons_test, OfAPauseTheCallInItIsNamedAndNotALongerOneBefore) {
  const auto first = program.launch("first", one);
  program.synchronize_stream(one);
  program.allocate(trace::memory_kind::device, 4096);
  const auto second = program.launch("second", two);
  record();
  const auto last = recording.calls.end();
  (last - 3)->start = microseconds(5);
  (last - 3)->end = microseconds(100);
  (last - 2)->start = microseconds(100);
  (last - 2)->end = microseconds(150);
  (last - 1)->start = (last - 1)->end = microseconds(150);
  ran(first, 0, 90, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(second, 151, 160, {{constraint_kind::host_issue, 0, 2, microseconds(151)}});
  const auto whole = part_of(recording, "");
  const reasons why(whole);
  EXPECT_EQ(name_of(recording.call_at(why.link_of(second).host_was_in)), "cudaStreamSynchronize");
  ASSERT_EQ(why.idle_gaps().size(), 1u);
  EXPECT_EQ(name_of(recording.call_at(why.idle_gaps().front().root.host_was_in)), "cudaMalloc");
  const std::vector<link> path = why.critical_path();
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(name_of(recording.call_at(path[0].host_was_in)), "cudaMalloc");
  EXPECT_EQ(path[1].operation, first);
}

TEST_F(reasons_test, ThePathGoesOnWhereTheHostWaitedBeforeItIssuedOneThingAfterTheOther) {
  const auto awaited = program.launch("awaited", one);
  program.synchronize_stream(one);
  const auto next = program.launch("next", one);
  const auto last = program.launch("last", two);
  record();
  recording.calls[recording.calls.size() - 3].start = microseconds(5);
  recording.calls[recording.calls.size() - 3].end = microseconds(100);
  ran(awaited, 0, 90, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(next, 103, 105, {{constraint_kind::host_issue, 0, 3, microseconds(103)}});
  ran(last, 106, 110, {{constraint_kind::host_issue, 0, 4, microseconds(106)}});
  const auto whole = part_of(recording, "");
  const std::vector<link> path = reasons(whole).critical_path();
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path[0].operation, last);
  EXPECT_EQ(path[0].host_was_in, 0u);
  EXPECT_EQ(path[1].operation, awaited);
}

TEST_F(reasons_test, WithoutRecordedConstraintsTheLastToEndIsInferred) {
  const auto kernel = program.launch("k", one);
  const auto copy = program.copy(pinned, device, one);
  record();
  ran_unknown(kernel, 10, 60);
  ran_unknown(copy, 61, 90);
  const auto whole = part_of(recording, "");
  const auto why = reasons(whole).reason_of(copy);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->constraint.kind, constraint_kind::stream_order);
  EXPECT_EQ(why->constraint.operation, kernel);
  EXPECT_TRUE(why->is_inferred);
}

TEST_F(reasons_test, WithoutRecordedConstraintsABusyCopyEngineIsInferred) {
  const auto first = program.copy(pinned, device, one);
  const auto second = program.copy(pinned, device, two);
  record();
  ran_unknown(first, 10, 60);
  ran_unknown(second, 60, 110);
  const auto whole = part_of(recording, "");
  const auto why = reasons(whole).reason_of(second);
  EXPECT_EQ(why->constraint.kind, constraint_kind::engine_busy);
  EXPECT_EQ(why->constraint.operation, first);
}

TEST_F(reasons_test, APauseOfAnEngineIsEndedByTheNextOperation) {
  const auto first = program.launch("first", one);
  const auto second = program.launch("second", one);
  record();
  ran(first, 0, 10, {{constraint_kind::host_issue, 0, 1, microseconds(0)}});
  ran(second, 40, 50, {{constraint_kind::event, first, 0, microseconds(40)}});
  const auto whole = part_of(recording, "");
  const std::vector<idle_gap> gaps = reasons(whole).idle_gaps();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].end - gaps[0].begin, microseconds(30));
  EXPECT_EQ(gaps[0].ended_by, second);
  EXPECT_EQ(gaps[0].where, engine::kernels);
}

TEST_F(reasons_test, CopiesBetweenDevicesHaveAnEngineOfTheirOwn) {
  const memory other = program.allocate(trace::memory_kind::device, 4096);
  const auto copy = program.copy(other, device, one);
  record();
  EXPECT_EQ(engine_of(recording, recording.operation_at(copy)), engine::inside_device);
  recording.allocations[other.allocation - 1].device = 1;
  EXPECT_EQ(engine_of(recording, recording.operation_at(copy)), engine::between_devices);
}

}  // namespace
}  // namespace analysis
