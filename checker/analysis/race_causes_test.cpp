#include "analysis/race_causes.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace {

using analysis::race_cause;
using analysis::race_kind;
using trace::memory;
using trace::memory_kind;
using trace::reads;
using trace::recording_builder;
using trace::writes;

std::vector<race_cause> causes_in(const recording_builder& program) {
  const analysis::ordering order(program.recording());
  return analysis::causes_of(program.recording(), order,
                             analysis::find_races(analysis::part_of(program.recording(), ""), order).value());
}

struct two_joined_streams : recording_builder {
  trace::stream_id one = create_stream(), two = create_stream();
  memory first = allocate(memory_kind::device, 64), second = allocate(memory_kind::device, 64);
  memory pinned = allocate(memory_kind::pinned, 64);
};

TEST(RaceCauses, RacesThatOneEdgeCuresHaveOneCauseAndThatEdge) {
  two_joined_streams program;
  program.launch("a", program.one, {writes(program.first)});
  const auto last = program.launch("b", program.one, {writes(program.second)});
  const auto next = program.launch("c", program.two, {reads(program.first)});
  program.launch("d", program.two, {reads(program.second)});
  const auto causes = causes_in(program);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].pairs, 2u);
  EXPECT_EQ(causes[0].from.operation, last);
  EXPECT_EQ(causes[0].to.operation, next);
}

TEST(RaceCauses, RacesThatNeedTwoEdgesHaveTwoCauses) {
  two_joined_streams program;
  program.launch("a", program.one, {writes(program.first)});
  program.launch("c", program.two, {reads(program.first)});
  program.launch("b", program.one, {writes(program.second)});
  program.launch("d", program.two, {reads(program.second)});
  EXPECT_EQ(causes_in(program).size(), 2u);
}

TEST(RaceCauses, RoundsOfALoopHaveOneCause) {
  two_joined_streams program;
  for (int round = 0; round < 10; ++round) {
    program.at_line(50).launch("a", program.one, {writes(program.first)});
    program.at_line(51).launch("b", program.two, {reads(program.first)});
  }
  const auto causes = causes_in(program);
  ASSERT_LE(causes.size(), 2u);  // what is read before it is written again is the other
  EXPECT_GE(causes[0].pairs, 9u);
}

/// The wait of stream two for an event, and what is wrong with it as an order behind the kernel of stream one.
std::optional<analysis::useless_wait> useless_wait_of(const recording_builder& program) {
  const analysis::ordering order(program.recording());
  const auto causes = causes_in(program);
  return causes.empty() ? std::nullopt : analysis::find_useless_wait(program.recording(), order, causes[0]);
}

TEST(UselessWait, ForAnEventThatIsRecordedBehindTheFirstSideCameBeforeIt) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.wait(program.two, event);
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, program.one);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::never_recorded);
}

TEST(UselessWait, ForAnEventThatAnotherThreadRecordsInNoOrderMayFindNoRecord) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.pass(1, 2);
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, program.one);
  program.on_thread(2);
  program.wait(program.two, event);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::recorded_unordered);
}

TEST(UselessWait, BeforeTheFirstSideForWhatAnotherStreamRecordsNextIsForSomethingElse) {
  two_joined_streams program;
  const auto event = program.create_event();
  const auto three = program.create_stream();
  program.wait(program.two, event);
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, three);
  program.launch("b", program.two, {reads(program.first)});
  EXPECT_FALSE(useless_wait_of(program));
}

TEST(UselessWait, ForAnEarlierRecordOfTheEventThatTheFirstSideRecordsLaterCameTooEarly) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.record(event, program.two);
  program.wait(program.two, event);
  program.launch("a", program.one, {writes(program.first)});
  const auto record = program.record(event, program.one);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::recorded_later);
  EXPECT_EQ(found->record, record);
}

TEST(UselessWait, BehindTheFirstSideThatIsAheadOfTheRecordOfItsEventIsForThatRecord) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.record(event, program.one);
  program.launch("a", program.one, {writes(program.first)});
  program.wait(program.two, event);
  const auto record = program.record(event, program.one);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::recorded_later);
  EXPECT_EQ(found->record, record);
}

TEST(UselessWait, OfTheRoundBeforeIsNotMeantWhereItsLineMakesAnotherStreamWaitAheadOfTheSecondSide) {
  two_joined_streams program;
  const auto event = program.create_event(), other = program.create_event();
  const auto three = program.create_stream();
  program.at_line(19).wait(program.two, event);
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, program.one);
  program.at_line(19).wait(three, other);
  program.launch("b", program.two, {reads(program.first)});
  const auto late = program.recording().calls.size() + 1;
  program.at_line(19).wait(program.two, event);
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::too_late);
  EXPECT_EQ(found->wait, late);
  EXPECT_EQ(program.recording().call_at(found->in_its_place).stream, three);
}

TEST(UselessWait, OfOneLineIsTheOneForTheStreamOfTheFirstSide) {
  for (const bool is_first_last : {false, true}) {
    two_joined_streams program;
    const auto first = program.create_event(), second = program.create_event();
    const auto record = program.record(first, program.one);
    program.copy(program.first, program.pinned, program.one);
    program.record(second, program.two);
    program.at_line(25).synchronize_event(is_first_last ? second : first);
    program.at_line(25).synchronize_event(is_first_last ? first : second);
    program.at_line(26).host_reads(program.pinned);
    const auto found = useless_wait_of(program);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, analysis::useless_wait_kind::recorded_too_early);
    EXPECT_EQ(found->record, record);
  }
}

TEST(UselessWait, BehindTheFirstSideForAnotherStreamIsForTheWrongOne) {
  two_joined_streams program;
  const auto event = program.create_event();
  const auto three = program.create_stream();
  program.record(event, three);
  program.launch("a", program.one, {writes(program.first)});
  program.wait(program.two, event);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::for_another_stream);
}

TEST(UselessWait, OfTheFirstSideForTheSecondIsTheWrongWayRound) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, program.two);
  program.wait(program.one, event);
  program.launch("b", program.two, {reads(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::wrong_way);
}

TEST(UselessWait, OfTheFirstSideThatOrdersWhatComesNextIsNeeded) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.launch("a", program.one, {reads(program.first)});
  program.launch("b", program.two, {writes(program.second)});
  program.record(event, program.two);
  program.wait(program.one, event);
  program.launch("c", program.one, {reads(program.second)});
  program.launch("d", program.two, {writes(program.first)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::of_other_way);
}

TEST(UselessWait, OfTheFirstSideThatLeavesOutTheLastOfWhatComesNextIsTheWrongWayRound) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.launch("earlier", program.two, {writes(program.second)});
  program.launch("a", program.one, {reads(program.first)});
  program.record(event, program.two);
  program.wait(program.one, event);
  program.launch("b", program.two, {writes(program.first), writes(program.second)});
  program.launch("c", program.one, {reads(program.second)});
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::wrong_way);
}

TEST(UselessWait, WaitsOfTheCallerAreNotLookedAt) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.record(event, program.one);
  program.wait(program.two, event);
  const std::size_t calls_of_the_caller = program.recording().calls.size();
  program.launch("a", program.one, {writes(program.first)});
  program.record(event, program.two);
  program.wait(program.one, event);
  program.launch("b", program.two, {reads(program.first)});
  const trace::recording recording = program.recording();
  analysis::part function = analysis::part_of(recording, "");
  std::erase_if(function.calls, [&](trace::call_id id) { return id <= calls_of_the_caller; });
  const auto found = analysis::find_useless_wait(recording, analysis::ordering(recording),
                                                 causes_in(program).at(0), function);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::wrong_way);
}

TEST(UselessWait, OfAStreamDoesNotHelpTheHost) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.copy(program.first, program.pinned, program.one);
  program.record(event, program.one);
  program.wait(program.two, event);
  program.host_reads(program.pinned);
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::only_of_a_stream);
}

TEST(UselessWait, OfAStreamThatNeedsTheDataIsNotMeantForTheHost) {
  two_joined_streams program;
  const auto event = program.create_event();
  program.copy(program.pinned, program.first, program.one);
  program.record(event, program.one);
  program.wait(program.two, event);
  program.launch("a", program.two, {reads(program.first)});
  program.host_writes(program.pinned);
  EXPECT_FALSE(useless_wait_of(program));
}

TEST(UselessWait, OfTheHostForTheDeviceWaitsForNoOther) {
  two_joined_streams program;
  program.copy(program.first, program.pinned, program.one);
  program.on_device(1);
  program.synchronize_device();
  program.host_reads(program.pinned);
  const auto found = useless_wait_of(program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, analysis::useless_wait_kind::for_another_device);
}

TEST(UselessWait, ForWhatTheSecondSideNeedsIsNotBlamed) {
  two_joined_streams program;
  const auto event = program.create_event();
  const auto three = program.create_stream();
  program.launch("prepare", three, {writes(program.second)});
  program.record(event, three);
  program.launch("a", program.one, {writes(program.first)});
  program.wait(program.two, event);
  program.launch("b", program.two, {reads(program.first), reads(program.second)});
  EXPECT_FALSE(useless_wait_of(program));
}

TEST(RaceCauses, HostThatReadsOrOverwritesTooEarlyIsNamed) {
  two_joined_streams program;
  program.copy(program.first, program.pinned, program.one);
  program.host_reads(program.pinned);
  EXPECT_EQ(causes_in(program).at(0).kind, race_kind::result_read_early);

  two_joined_streams other;
  other.copy(other.pinned, other.first, other.one);
  other.host_writes(other.pinned);
  EXPECT_EQ(causes_in(other).at(0).kind, race_kind::source_overwritten);
}

}  // namespace
