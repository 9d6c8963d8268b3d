// The order of operations: streams, the legacy default stream, events. Engines are in
// schedule_copies_test.cpp and schedule_kernels_test.cpp.
#include "device/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/bench.h"

namespace device {
namespace {

using ::testing::ElementsAre;
using trace::constraint_kind;

TEST(Schedule, OperationsOfOneStreamRunOneAfterAnother) {
  bench gpu;
  const auto stream = gpu.stream();
  const auto first = gpu.kernel(stream, 10);
  const auto second = gpu.copy_in(stream, 5);
  const auto third = gpu.memset(stream, 3);
  const auto fourth = gpu.kernel(stream, 20);
  gpu.run();
  EXPECT_EQ(gpu.end(first), 10);
  EXPECT_EQ(gpu.start(second), 10);
  EXPECT_EQ(gpu.end(second), 15);
  EXPECT_EQ(gpu.end(third), 18);
  EXPECT_EQ(gpu.start(fourth), 18);
  EXPECT_EQ(gpu.end(fourth), 38);
}

TEST(Schedule, StreamsDoNotWaitForEachOther) {
  bench gpu;
  const auto first = gpu.kernel(gpu.blocking_stream(), 10);
  const auto second = gpu.kernel(gpu.blocking_stream(), 10);
  const auto third = gpu.copy_in(gpu.stream(), 5);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 0);
  EXPECT_EQ(gpu.start(second), 0);
  EXPECT_EQ(gpu.start(third), 0);
}

TEST(Schedule, TheDeviceSeesAnOperationALatencyAfterItWasIssued) {
  profile model = tiny_gpu();
  model.launch_latency = 30;
  model.copy_issue_latency = 7;
  bench gpu(model);
  gpu.issue_at(100);
  const auto kernel = gpu.kernel(gpu.stream(), 10);
  const auto copy = gpu.copy_in(gpu.stream(), 5);
  gpu.run();
  EXPECT_EQ(gpu.start(kernel), 130);
  EXPECT_EQ(gpu.start(copy), 107);
}

TEST(Schedule, TheGapBetweenOperationsDependsOnWhatTheyWorkOn) {
  profile model = tiny_gpu();
  model.kernel_gap = 1;
  model.copy_gap = 20;
  model.engine_handover = 300;
  bench gpu(model);
  const auto stream = gpu.stream();
  const auto kernel = gpu.kernel(stream, 10);
  const auto after_kernel = gpu.kernel(stream, 10);
  const auto copy = gpu.copy_in(stream, 10);
  const auto after_copy = gpu.copy_in(stream, 10);
  const auto other_direction = gpu.copy_out(stream, 10);
  const auto kernel_again = gpu.kernel(stream, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(after_kernel) - gpu.end(kernel), 1);
  EXPECT_EQ(gpu.start(copy) - gpu.end(after_kernel), 300);
  EXPECT_EQ(gpu.start(after_copy) - gpu.end(copy), 20);
  EXPECT_EQ(gpu.start(other_direction) - gpu.end(after_copy), 300);
  EXPECT_EQ(gpu.start(kernel_again) - gpu.end(other_direction), 300);
}

TEST(Schedule, AnOperationThatWaitedForNothingNamesTheCallThatIssuedIt) {
  bench gpu;
  const auto stream = gpu.stream();
  const auto first = gpu.kernel(stream, 10);
  gpu.issue_at(50);
  const auto second = gpu.kernel(stream, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(second), 50);
  EXPECT_EQ(gpu.reason(first).kind, constraint_kind::host_issue);
  EXPECT_EQ(gpu.reason(second).kind, constraint_kind::host_issue);
  EXPECT_EQ(gpu.reason(second).call, 2u);
  EXPECT_EQ(gpu.reason(second).until.count(), 50);
}

TEST(Schedule, AnOperationThatWaitedForItsStreamNamesTheOneBefore) {
  bench gpu;
  const auto stream = gpu.stream();
  const auto first = gpu.kernel(stream, 10);
  const auto second = gpu.kernel(stream, 10);
  gpu.run();
  ASSERT_EQ(gpu.reasons(second).size(), 2u);
  EXPECT_EQ(gpu.reason(second).kind, constraint_kind::stream_order);
  EXPECT_EQ(gpu.reason(second).operation, first);
  EXPECT_EQ(gpu.reason(second).until.count(), 10);
  EXPECT_EQ(gpu.reasons(second)[1].kind, constraint_kind::host_issue);
}

TEST(Schedule, WorkInTheLegacyDefaultStreamWaitsForBlockingStreams) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto early = gpu.kernel(gpu.blocking_stream(), 10);
  const auto late = gpu.kernel(gpu.blocking_stream(), 30);
  const auto after = gpu.kernel(legacy, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(after), 30);
  EXPECT_EQ(gpu.reason(after).kind, constraint_kind::legacy_default);
  EXPECT_EQ(gpu.reason(after).operation, late);
  EXPECT_EQ(gpu.reasons(after)[1].operation, early);
}

TEST(Schedule, BlockingStreamsWaitForWorkInTheLegacyDefaultStream) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto one = gpu.blocking_stream();
  const auto other = gpu.blocking_stream();
  const auto before = gpu.kernel(legacy, 10);
  const auto first = gpu.kernel(one, 5);
  const auto second = gpu.copy_in(other, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 10);
  EXPECT_EQ(gpu.start(second), 10);
  EXPECT_EQ(gpu.reason(first).kind, constraint_kind::legacy_default);
  EXPECT_EQ(gpu.reason(first).operation, before);
}

TEST(Schedule, WorkInTheLegacyDefaultStreamKeepsBlockingStreamsApart) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto one = gpu.blocking_stream();
  const auto other = gpu.blocking_stream();
  gpu.kernel(one, 10);
  gpu.kernel(legacy, 5);
  const auto last = gpu.kernel(other, 1);
  gpu.run();
  EXPECT_EQ(gpu.start(last), 15);
}

TEST(Schedule, AnEventRecordInTheLegacyDefaultStreamKeepsBlockingStreamsApartToo) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto one = gpu.blocking_stream();
  const auto other = gpu.blocking_stream();
  gpu.kernel(one, 10);
  const auto record = gpu.record(legacy);
  const auto last = gpu.kernel(other, 1);
  gpu.run();
  EXPECT_EQ(gpu.end(record), 10);
  EXPECT_EQ(gpu.start(last), 10);
}

TEST(Schedule, NonBlockingStreamsAndTheLegacyDefaultStreamDoNotWaitForEachOther) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto free = gpu.stream();
  gpu.kernel(free, 10);
  const auto in_legacy = gpu.kernel(legacy, 10);
  const auto after = gpu.copy_in(gpu.stream(), 5);
  gpu.run();
  EXPECT_EQ(gpu.start(in_legacy), 0);
  EXPECT_EQ(gpu.start(after), 0);
}

TEST(Schedule, ThePerThreadDefaultStreamIsOrderedWithTheLegacyOneOnly) {
  bench gpu;
  const auto legacy = gpu.legacy_stream();
  const auto per_thread =
      gpu.stream(trace::stream_blocking::blocking, 0, trace::stream_kind::per_thread_default);
  const auto created = gpu.blocking_stream();
  gpu.kernel(created, 30);
  const auto first = gpu.kernel(per_thread, 10);
  const auto second = gpu.kernel(legacy, 5);
  const auto third = gpu.kernel(per_thread, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 0);
  EXPECT_EQ(gpu.start(second), 30);
  EXPECT_EQ(gpu.start(third), 35);
}

TEST(Schedule, TheLegacyDefaultStreamsOfTwoDevicesOrderNothingOfEachOther) {
  bench gpu(std::vector{tiny_gpu(), tiny_gpu()});
  const auto first = gpu.kernel(gpu.legacy_stream(0), 10);
  const auto second = gpu.kernel(gpu.legacy_stream(1), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 0);
  EXPECT_EQ(gpu.start(second), 0);
}

TEST(Schedule, WorkAfterAWaitInAnotherStreamWaitsForTheRecord) {
  bench gpu;
  const auto recorded = gpu.stream();
  const auto waiting = gpu.stream();
  gpu.kernel(recorded, 10);
  const auto record = gpu.record(recorded);
  const auto later = gpu.kernel(recorded, 100);
  const auto before = gpu.kernel(waiting, 3);
  const auto wait = gpu.wait(waiting, record);
  const auto after = gpu.kernel(waiting, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(before), 0);
  EXPECT_EQ(gpu.end(wait), 10);
  EXPECT_EQ(gpu.reason(wait).kind, constraint_kind::event);
  EXPECT_EQ(gpu.reason(wait).operation, record);
  EXPECT_EQ(gpu.start(after), 10);
  EXPECT_EQ(gpu.reason(after).kind, constraint_kind::stream_order);
  EXPECT_EQ(gpu.reason(after).operation, wait);
  EXPECT_EQ(gpu.end(later), 110);
}

TEST(Schedule, AWaitForAnEventThatWasNeverRecordedDoesNotWait) {
  bench gpu;
  const auto waiting = gpu.stream();
  gpu.kernel(gpu.stream(), 10);
  gpu.wait(waiting, 0);
  const auto after = gpu.kernel(waiting, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(after), 0);
}

TEST(Schedule, AWaitForACompleteRecordDoesNotWait) {
  bench gpu;
  const auto record = gpu.record(gpu.stream());
  gpu.run();
  gpu.issue_at(50);
  const auto wait = gpu.wait(gpu.stream(), record);
  gpu.run();
  EXPECT_EQ(gpu.end(wait), 50);
  EXPECT_EQ(gpu.reason(wait).kind, constraint_kind::host_issue);
}

TEST(Schedule, AWaitForARecordOfTheSameStreamIsStreamOrder) {
  bench gpu;
  const auto stream = gpu.stream();
  gpu.kernel(stream, 10);
  const auto record = gpu.record(stream);
  const auto wait = gpu.wait(stream, record);
  gpu.run();
  EXPECT_EQ(gpu.end(wait), 10);
  EXPECT_EQ(gpu.reason(wait).kind, constraint_kind::stream_order);
}

TEST(Schedule, WaitingForAnEventCostsWhatTheProfileSays) {
  profile model = tiny_gpu();
  model.kernel_gap = 10;
  model.event_wait = 25;
  bench gpu(model);
  const auto recorded = gpu.stream();
  const auto waiting = gpu.stream();
  const auto before = gpu.kernel(recorded, 100);
  const auto record = gpu.record(recorded);
  gpu.wait(waiting, record);
  const auto after = gpu.kernel(waiting, 5);
  gpu.run();
  EXPECT_EQ(gpu.start(after) - gpu.end(before), 25);
}

TEST(Schedule, OnlyARecordWithATimeStampTakesTime) {
  profile model = tiny_gpu();
  model.event_record = 4;
  bench gpu(model);
  const auto timed = gpu.record(gpu.stream(), true);
  const auto untimed = gpu.record(gpu.stream(), false);
  gpu.run();
  EXPECT_EQ(gpu.end(timed) - gpu.start(timed), 4);
  EXPECT_EQ(gpu.end(untimed) - gpu.start(untimed), 0);
}

TEST(Schedule, OperationsThatCouldStartAtTheSameTimeStartInTheOrderOfIssue) {
  bench gpu;
  const auto a = gpu.stream();
  const auto b = gpu.stream();
  const auto c = gpu.stream();
  const auto first = gpu.copy_in(c, 10);
  const auto second = gpu.copy_in(a, 10);
  const auto third = gpu.copy_in(b, 10);
  gpu.run();
  EXPECT_THAT(gpu.order(), ElementsAre(first, second, third));
}

TEST(Schedule, OperationsThatEndAtTheSameTimeEndInTheOrderInWhichTheirEndsWereKnown) {
  bench gpu;
  gpu.issue_at(5);
  const auto started_last = gpu.kernel(gpu.stream(), 5);
  gpu.issue_at(0);
  const auto started_first = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.end(started_last), gpu.end(started_first));
  EXPECT_THAT(gpu.order(), ElementsAre(started_first, started_last));
}

TEST(Schedule, OnlyWhatIsDueHappens) {
  bench gpu;
  const auto stream = gpu.stream();
  const auto first = gpu.kernel(stream, 10);
  const auto second = gpu.kernel(stream, 10);
  EXPECT_EQ(gpu.schedule().last_in(stream), second);
  gpu.advance_to(9);
  EXPECT_FALSE(gpu.schedule().is_complete(first));
  gpu.advance_to(10);
  EXPECT_TRUE(gpu.schedule().is_complete(first));
  EXPECT_FALSE(gpu.schedule().is_complete(second));
  gpu.advance_to(5);
  EXPECT_EQ(gpu.schedule().now().count(), 10);
  gpu.run();
  EXPECT_TRUE(gpu.schedule().is_complete(second));
  EXPECT_FALSE(gpu.step());
  EXPECT_EQ(gpu.schedule().last_in(gpu.stream()), 0u);
}

TEST(Schedule, NothingWaitsForAWaitThatHasNothingToDo) {
  bench gpu;
  const auto stream = gpu.blocking_stream();
  const auto record = gpu.record(gpu.stream());
  gpu.advance_to(10);
  gpu.wait(stream, 0);
  gpu.wait(stream, record);
  EXPECT_EQ(gpu.schedule().last_in(stream), 0u);
  EXPECT_EQ(gpu.schedule().unfinished_in_blocking_streams(0), 0u);
  gpu.run();
  EXPECT_EQ(gpu.schedule().unfinished_in_blocking_streams(0), 0u);
}

TEST(Schedule, AWaitForACompleteRecordInTheLegacyStreamSeparatesBusyBlockingStreams) {
  for (const bool has_record : {false, true}) {
    bench gpu;
    const auto record = gpu.record(gpu.stream());
    gpu.advance_to(10);
    gpu.kernel(gpu.blocking_stream(), 100);
    gpu.wait(gpu.legacy_stream(), has_record ? record : 0);
    const auto behind = gpu.kernel(gpu.blocking_stream(), 5);
    gpu.run();
    EXPECT_EQ(gpu.start(behind) >= 100, has_record);
  }
}

}  // namespace
}  // namespace device
