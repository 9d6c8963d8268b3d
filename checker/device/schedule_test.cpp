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
  bench on;
  const auto stream = on.stream();
  const auto first = on.kernel(stream, 10);
  const auto second = on.copy_in(stream, 5);
  const auto third = on.memset(stream, 3);
  const auto fourth = on.kernel(stream, 20);
  on.run();
  EXPECT_EQ(on.end(first), 10);
  EXPECT_EQ(on.start(second), 10);
  EXPECT_EQ(on.end(second), 15);
  EXPECT_EQ(on.end(third), 18);
  EXPECT_EQ(on.start(fourth), 18);
  EXPECT_EQ(on.end(fourth), 38);
}

TEST(Schedule, StreamsDoNotWaitForEachOther) {
  bench on;
  const auto first = on.kernel(on.blocking_stream(), 10);
  const auto second = on.kernel(on.blocking_stream(), 10);
  const auto third = on.copy_in(on.stream(), 5);
  on.run();
  EXPECT_EQ(on.start(first), 0);
  EXPECT_EQ(on.start(second), 0);
  EXPECT_EQ(on.start(third), 0);
}

TEST(Schedule, TheDeviceSeesAnOperationALatencyAfterItWasIssued) {
  profile gpu = tiny_gpu();
  gpu.launch_latency = 30;
  gpu.copy_issue_latency = 7;
  bench on(gpu);
  on.at(100);
  const auto kernel = on.kernel(on.stream(), 10);
  const auto copy = on.copy_in(on.stream(), 5);
  on.run();
  EXPECT_EQ(on.start(kernel), 130);
  EXPECT_EQ(on.start(copy), 107);
}

TEST(Schedule, TheGapBetweenOperationsDependsOnWhatTheyWorkOn) {
  profile gpu = tiny_gpu();
  gpu.kernel_gap = 1;
  gpu.copy_gap = 20;
  gpu.engine_handover = 300;
  bench on(gpu);
  const auto stream = on.stream();
  const auto kernel = on.kernel(stream, 10);
  const auto after_kernel = on.kernel(stream, 10);
  const auto copy = on.copy_in(stream, 10);
  const auto after_copy = on.copy_in(stream, 10);
  const auto other_direction = on.copy_out(stream, 10);
  const auto kernel_again = on.kernel(stream, 10);
  on.run();
  EXPECT_EQ(on.start(after_kernel) - on.end(kernel), 1);
  EXPECT_EQ(on.start(copy) - on.end(after_kernel), 300);
  EXPECT_EQ(on.start(after_copy) - on.end(copy), 20);
  EXPECT_EQ(on.start(other_direction) - on.end(after_copy), 300);
  EXPECT_EQ(on.start(kernel_again) - on.end(other_direction), 300);
}

TEST(Schedule, AnOperationThatWaitedForNothingNamesTheCallThatIssuedIt) {
  bench on;
  const auto stream = on.stream();
  const auto first = on.kernel(stream, 10);
  on.at(50);
  const auto second = on.kernel(stream, 10);
  on.run();
  EXPECT_EQ(on.start(second), 50);
  EXPECT_EQ(on.reason(first).kind, constraint_kind::host_issue);
  EXPECT_EQ(on.reason(second).kind, constraint_kind::host_issue);
  EXPECT_EQ(on.reason(second).call, 2u);
  EXPECT_EQ(on.reason(second).until.count(), 50);
}

TEST(Schedule, AnOperationThatWaitedForItsStreamNamesTheOneBefore) {
  bench on;
  const auto stream = on.stream();
  const auto first = on.kernel(stream, 10);
  const auto second = on.kernel(stream, 10);
  on.run();
  ASSERT_EQ(on.reasons(second).size(), 2u);
  EXPECT_EQ(on.reason(second).kind, constraint_kind::stream_order);
  EXPECT_EQ(on.reason(second).operation, first);
  EXPECT_EQ(on.reason(second).until.count(), 10);
  EXPECT_EQ(on.reasons(second)[1].kind, constraint_kind::host_issue);
}

TEST(Schedule, WorkInTheLegacyDefaultStreamWaitsForBlockingStreams) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto early = on.kernel(on.blocking_stream(), 10);
  const auto late = on.kernel(on.blocking_stream(), 30);
  const auto after = on.kernel(legacy, 5);
  on.run();
  EXPECT_EQ(on.start(after), 30);
  EXPECT_EQ(on.reason(after).kind, constraint_kind::legacy_default);
  EXPECT_EQ(on.reason(after).operation, late);
  EXPECT_EQ(on.reasons(after)[1].operation, early);
}

TEST(Schedule, BlockingStreamsWaitForWorkInTheLegacyDefaultStream) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto one = on.blocking_stream();
  const auto other = on.blocking_stream();
  const auto before = on.kernel(legacy, 10);
  const auto first = on.kernel(one, 5);
  const auto second = on.copy_in(other, 5);
  on.run();
  EXPECT_EQ(on.start(first), 10);
  EXPECT_EQ(on.start(second), 10);
  EXPECT_EQ(on.reason(first).kind, constraint_kind::legacy_default);
  EXPECT_EQ(on.reason(first).operation, before);
}

TEST(Schedule, WorkInTheLegacyDefaultStreamKeepsBlockingStreamsApart) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto one = on.blocking_stream();
  const auto other = on.blocking_stream();
  on.kernel(one, 10);
  on.kernel(legacy, 5);
  const auto last = on.kernel(other, 1);
  on.run();
  EXPECT_EQ(on.start(last), 15);
}

TEST(Schedule, AnEventRecordInTheLegacyDefaultStreamKeepsBlockingStreamsApartToo) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto one = on.blocking_stream();
  const auto other = on.blocking_stream();
  on.kernel(one, 10);
  const auto record = on.record(legacy);
  const auto last = on.kernel(other, 1);
  on.run();
  EXPECT_EQ(on.end(record), 10);
  EXPECT_EQ(on.start(last), 10);
}

TEST(Schedule, NonBlockingStreamsAndTheLegacyDefaultStreamDoNotWaitForEachOther) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto free = on.stream();
  on.kernel(free, 10);
  const auto in_legacy = on.kernel(legacy, 10);
  const auto after = on.copy_in(on.stream(), 5);
  on.run();
  EXPECT_EQ(on.start(in_legacy), 0);
  EXPECT_EQ(on.start(after), 0);
}

TEST(Schedule, ThePerThreadDefaultStreamIsOrderedWithTheLegacyOneOnly) {
  bench on;
  const auto legacy = on.legacy_stream();
  const auto per_thread =
      on.stream(trace::stream_blocking::blocking, 0, trace::stream_kind::per_thread_default);
  const auto created = on.blocking_stream();
  on.kernel(created, 30);
  const auto first = on.kernel(per_thread, 10);
  const auto second = on.kernel(legacy, 5);
  const auto third = on.kernel(per_thread, 5);
  on.run();
  EXPECT_EQ(on.start(first), 0);
  EXPECT_EQ(on.start(second), 30);
  EXPECT_EQ(on.start(third), 35);
}

TEST(Schedule, TheLegacyDefaultStreamsOfTwoDevicesOrderNothingOfEachOther) {
  bench on(std::vector{tiny_gpu(), tiny_gpu()});
  const auto first = on.kernel(on.legacy_stream(0), 10);
  const auto second = on.kernel(on.legacy_stream(1), 10);
  on.run();
  EXPECT_EQ(on.start(first), 0);
  EXPECT_EQ(on.start(second), 0);
}

TEST(Schedule, WorkAfterAWaitInAnotherStreamWaitsForTheRecord) {
  bench on;
  const auto recorded = on.stream();
  const auto waiting = on.stream();
  on.kernel(recorded, 10);
  const auto record = on.record(recorded);
  const auto later = on.kernel(recorded, 100);
  const auto before = on.kernel(waiting, 3);
  const auto wait = on.wait(waiting, record);
  const auto after = on.kernel(waiting, 5);
  on.run();
  EXPECT_EQ(on.start(before), 0);
  EXPECT_EQ(on.end(wait), 10);
  EXPECT_EQ(on.reason(wait).kind, constraint_kind::event);
  EXPECT_EQ(on.reason(wait).operation, record);
  EXPECT_EQ(on.start(after), 10);
  EXPECT_EQ(on.reason(after).kind, constraint_kind::stream_order);
  EXPECT_EQ(on.reason(after).operation, wait);
  EXPECT_EQ(on.end(later), 110);
}

TEST(Schedule, AWaitForAnEventThatWasNeverRecordedDoesNotWait) {
  bench on;
  const auto waiting = on.stream();
  on.kernel(on.stream(), 10);
  on.wait(waiting, 0);
  const auto after = on.kernel(waiting, 5);
  on.run();
  EXPECT_EQ(on.start(after), 0);
}

TEST(Schedule, AWaitForACompleteRecordDoesNotWait) {
  bench on;
  const auto record = on.record(on.stream());
  on.run();
  on.at(50);
  const auto wait = on.wait(on.stream(), record);
  on.run();
  EXPECT_EQ(on.end(wait), 50);
  EXPECT_EQ(on.reason(wait).kind, constraint_kind::host_issue);
}

TEST(Schedule, AWaitForARecordOfTheSameStreamIsStreamOrder) {
  bench on;
  const auto stream = on.stream();
  on.kernel(stream, 10);
  const auto record = on.record(stream);
  const auto wait = on.wait(stream, record);
  on.run();
  EXPECT_EQ(on.end(wait), 10);
  EXPECT_EQ(on.reason(wait).kind, constraint_kind::stream_order);
}

TEST(Schedule, WaitingForAnEventCostsWhatTheProfileSays) {
  profile gpu = tiny_gpu();
  gpu.kernel_gap = 10;
  gpu.event_wait = 25;
  bench on(gpu);
  const auto recorded = on.stream();
  const auto waiting = on.stream();
  const auto before = on.kernel(recorded, 100);
  const auto record = on.record(recorded);
  on.wait(waiting, record);
  const auto after = on.kernel(waiting, 5);
  on.run();
  EXPECT_EQ(on.start(after) - on.end(before), 25);
}

TEST(Schedule, OnlyARecordWithATimeStampTakesTime) {
  profile gpu = tiny_gpu();
  gpu.event_record = 4;
  bench on(gpu);
  const auto timed = on.record(on.stream(), true);
  const auto untimed = on.record(on.stream(), false);
  on.run();
  EXPECT_EQ(on.end(timed) - on.start(timed), 4);
  EXPECT_EQ(on.end(untimed) - on.start(untimed), 0);
}

TEST(Schedule, OperationsThatCouldStartAtTheSameTimeStartInTheOrderOfIssue) {
  bench on;
  const auto a = on.stream();
  const auto b = on.stream();
  const auto c = on.stream();
  const auto first = on.copy_in(c, 10);
  const auto second = on.copy_in(a, 10);
  const auto third = on.copy_in(b, 10);
  on.run();
  EXPECT_THAT(on.order(), ElementsAre(first, second, third));
}

TEST(Schedule, OperationsThatEndAtTheSameTimeEndInTheOrderInWhichTheirEndsWereKnown) {
  bench on;
  on.at(5);
  const auto started_last = on.kernel(on.stream(), 5);
  on.at(0);
  const auto started_first = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.end(started_last), on.end(started_first));
  EXPECT_THAT(on.order(), ElementsAre(started_first, started_last));
}

TEST(Schedule, OnlyWhatIsDueHappens) {
  bench on;
  const auto stream = on.stream();
  const auto first = on.kernel(stream, 10);
  const auto second = on.kernel(stream, 10);
  EXPECT_EQ(on.schedule().last_in(stream), second);
  on.advance_to(9);
  EXPECT_FALSE(on.schedule().is_complete(first));
  on.advance_to(10);
  EXPECT_TRUE(on.schedule().is_complete(first));
  EXPECT_FALSE(on.schedule().is_complete(second));
  on.advance_to(5);
  EXPECT_EQ(on.schedule().now().count(), 10);
  on.run();
  EXPECT_TRUE(on.schedule().is_complete(second));
  EXPECT_FALSE(on.step());
  EXPECT_EQ(on.schedule().last_in(on.stream()), 0u);
}

}  // namespace
}  // namespace device
