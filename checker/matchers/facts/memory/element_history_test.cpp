#include "matchers/facts/memory/element_history.h"

#include <gmock/gmock.h>

#include "trace/recording_builder.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using trace::memory_kind;

/// A kernel fills 64 bytes of the device, and a copy brings the first 32 of them to `output`.
class ElementHistory : public ::testing::Test {
 protected:
  element_history of(std::uint64_t byte) {
    const observations observed = observations_of();
    return history_of(run_facts(observed, ""), "output", byte);
  }

  std::optional<missing_input> missing_behind(const std::string& kernel) {
    const observations observed = observations_of();
    for (const trace::operation& operation : observed.runs.back().outcome.recording->operations) {
      if (operation.name == kernel) return input_missing_behind(run_facts(observed, ""), operation.id);
    }
    return std::nullopt;
  }

  observations observations_of() {
    trace::recording recording = program.recording();
    for (trace::operation& operation : recording.operations) {
      operation.start = std::chrono::nanoseconds(100 * operation.id);
      operation.end = operation.start + std::chrono::nanoseconds(50);
    }
    recording.allocations[output.allocation - 1].name = "output";
    observations observed;
    observed.runs.emplace_back();
    observed.runs.back().outcome.recording = recording;
    return observed;
  }

  trace::recording_builder program;
  trace::stream_id stream = program.create_stream();
  trace::memory device = program.allocate(memory_kind::device, 64);
  trace::memory output = program.allocate(memory_kind::pinned, 64);
};

TEST_F(ElementHistory, AResultLeadsToTheKernelThatMadeIt) {
  program.at_line(10).launch("fill", stream, {writes(device)});
  program.at_line(11).copy(device, output, stream);
  const element_history found = of(8);
  EXPECT_EQ(found.places.at(0).line, 10u);
  EXPECT_EQ(found.places.at(1).line, 11u);
  EXPECT_THAT(found.sentence, HasSubstr(":11"));
  EXPECT_THAT(found.sentence, HasSubstr("had made it"));
}

TEST_F(ElementHistory, AResultTellsWhatItsKernelReadAndWhereThatCameFrom) {
  const trace::memory input = program.allocate(memory_kind::device, 64);
  const trace::memory source = program.allocate(memory_kind::pinned, 128);
  program.at_line(9).copy(slice(source, 64, 64), input, stream);
  program.at_line(10).launch("fill", stream, {reads(input), writes(device)});
  program.at_line(11).copy(slice(device, 0, 32), slice(output, 16, 32), stream);
  const element_history found = of(24);
  EXPECT_THAT(found.sentence,
              AllOf(HasSubstr(" from elements 0 to 7 of "), HasSubstr(" to elements 4 to 11")));
  EXPECT_THAT(found.inputs, HasSubstr(" (from element 18 of "));
  EXPECT_THAT(found.inputs, HasSubstr(" by H2D 1, program.cu:9)."));
}

TEST_F(ElementHistory, AResultOfALaunchThatMovedOnNamesTheArgumentThatDidNot) {
  for (const std::size_t begin : {0, 32})
    program.at_line(10).launch("fill", stream, {writes(slice(device, begin, 32))});
  program.at_line(11).copy(device, output, stream);
  observations observed = observations_of();
  std::vector<trace::operation>& operations = observed.runs.back().outcome.recording->operations;
  const auto inputs_of = [&](std::int64_t number) {
    operations[0].integers = {0, 8};
    operations[1].integers = {number, 8};
    return history_of(run_facts(observed, ""), "output", 40).inputs;
  };
  EXPECT_THAT(
      inputs_of(0),
      testing::EndsWith(" All 2 launches of it were given 0, and this one writes the device allocation of "
                        "program.cu:2 from element 8 on."));
  EXPECT_THAT(inputs_of(8), testing::Not(HasSubstr("launches of it")));
}

TEST_F(ElementHistory, AResultThatACopyHasAsItsSourceLeadsToThatCopy) {
  program.at_line(10).launch("fill", stream, {writes(device)});
  program.at_line(11).copy(output, device, stream);
  const element_history found = of(8);
  EXPECT_EQ(found.places.at(0).line, 11u);
  EXPECT_THAT(found.sentence,
              HasSubstr("It is the source of the copy H2D 1 of 64 bytes to the device in stream 2 "
                        "(program.cu:11)."));
}

TEST_F(ElementHistory, AResultThatIsTakenTooEarlyNamesTheLineThatTookIt) {
  program.at_line(11).copy(device, output, stream);
  const observations observed = observations_of();
  const trace::mark taken{
      .name = "source", .time = std::chrono::nanoseconds(110), .after_operation = 1, .where = {1, 15}};
  const element_history found = history_of(run_facts(observed, ""), "output", 8, &taken);
  EXPECT_TRUE(found.came_late);
  EXPECT_THAT(
      found.sentence,
      HasSubstr(":11), which writes this element, had not ended when the element was taken out of the buffer "
                "(program.cu:15)."));
  EXPECT_EQ(found.places.at(1).line, 15u);
}

TEST_F(ElementHistory, WhatWasFoundIsOfTheWriterThatHadEndedWhenTheCallerReadIt) {
  program.at_line(9).launch("", stream, {});
  program.mark("begin:learner");
  program.at_line(10).launch("first", stream, {writes(output)});
  program.at_line(11).launch("second", stream, {reads(output), writes(output)});
  program.mark("end:learner");
  program.copy(output, device, stream);
  observations observed = observations_of();
  const auto judged = [&] { return history_of(run_facts(observed, "learner"), "output", 8); };
  EXPECT_THAT(judged().sentence, HasSubstr("(program.cu:11) wrote it."));
  observed.runs.back().outcome.recording->operations[2].end = std::chrono::nanoseconds(420);
  const element_history found = judged();
  EXPECT_TRUE(found.came_late);
  EXPECT_EQ(found.made_by, 2u);
  EXPECT_EQ(found.places.at(0).line, 11u);
  EXPECT_THAT(
      found.sentence,
      AllOf(HasSubstr("(program.cu:11), which writes this element, had not ended when the caller read"),
            HasSubstr("after your function had returned.")));
  EXPECT_THAT(found.left_by,
              AllOf(HasSubstr("is what the kernel first"), HasSubstr("(program.cu:10) had left there.")));
}

TEST_F(ElementHistory, AResultThatIsTakenBeforeItsCopyIsIssuedNamesBothLines) {
  program.at_line(11).copy(device, output, stream);
  const observations observed = observations_of();
  const trace::mark taken{
      .name = "source", .time = std::chrono::nanoseconds(90), .after_operation = 0, .where = {1, 15}};
  const element_history found = history_of(run_facts(observed, ""), "output", 8, &taken);
  EXPECT_THAT(found.sentence,
              HasSubstr("issued only after the element was taken out of the buffer (program.cu:15)."));
  EXPECT_EQ(found.places.at(0).line, 15u);
  EXPECT_EQ(found.places.at(1).line, 11u);
}

TEST_F(ElementHistory, AKernelThatReadWhatNobodyWroteLeadsToTheCopyThatWasTooShort) {
  const trace::memory input = program.allocate(memory_kind::device, 64);
  const trace::memory source = program.allocate(memory_kind::pinned, 64);
  program.at_line(9).copy(slice(source, 0, 16), slice(input, 0, 16), stream);
  program.at_line(10).launch("fill", stream, {reads(input), writes(device)});
  program.at_line(11).copy(device, output, stream);
  EXPECT_EQ(of(8).missing_input, "");
  EXPECT_EQ(of(24).missing_place.line, 9u);
  EXPECT_THAT(of(24).missing_input, HasSubstr("where no operation of your function writes; the nearest is"));
}

TEST_F(ElementHistory, InputThatIsMissingIsFoundBehindTheKernelThatReadTheResult) {
  const trace::memory weights = program.allocate(memory_kind::device, 64);
  const trace::memory source = program.allocate(memory_kind::pinned, 64);
  const trace::memory between = program.allocate(memory_kind::device, 64);
  program.at_line(9).copy(slice(source, 0, 16), slice(weights, 0, 16), stream);
  program.at_line(10).launch("smoothen", stream, {reads(weights), writes(between)});
  program.at_line(11).launch("blend", stream, {reads(between), writes(device)});
  program.at_line(12).copy(device, output, stream);
  const auto found = missing_behind("blend");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->places.at(0).line, 9u);
  EXPECT_THAT(found->sentence, HasSubstr("from byte 16 on, where no operation of your function writes"));
}

TEST_F(ElementHistory, AGapBetweenWhatKernelsWriteLeadsToBothOfThem) {
  const trace::memory cells = program.allocate(memory_kind::device, 64);
  program.at_line(8).launch("edge", stream, {writes(slice(cells, 0, 16))});
  program.at_line(9).launch("interior", stream, {writes(slice(cells, 32, 32))});
  program.at_line(10).launch("step", stream, {reads(cells), writes(device)});
  program.at_line(11).copy(device, output, stream);
  const auto found = missing_behind("step");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->places.at(0).line, 8u);
  EXPECT_THAT(found->sentence, HasSubstr("from byte 16 on"));
}

TEST_F(ElementHistory, AKernelThatBeganBeforeItsInputWasBroughtIsFound) {
  const trace::memory input = program.allocate(memory_kind::device, 64);
  const trace::memory source = program.allocate(memory_kind::pinned, 64);
  const auto copy = program.at_line(9).copy(source, input, stream);
  program.at_line(10).launch("fill", stream, {reads(input), writes(device)});
  program.at_line(11).copy(device, output, stream);
  observations observed = observations_of();
  trace::recording& recording = *observed.runs.back().outcome.recording;
  EXPECT_FALSE(input_late_behind(run_facts(observed, ""), copy + 1));
  recording.operations[copy - 1].end = recording.operations[copy].start + std::chrono::nanoseconds(10);
  observations late = observed;
  const auto found = input_late_behind(run_facts(late, ""), copy + 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->places.at(0).line, 10u);
  EXPECT_THAT(found->sentence, HasSubstr("began before"));
}

TEST_F(ElementHistory, AKernelThatBeganBeforeTheOneThatMakesItsInputHadEndedIsFound) {
  const trace::memory between = program.allocate(memory_kind::device, 64);
  const auto allocation = program.launch("", stream, {writes(between)});
  const auto producer = program.at_line(9).launch("produce", stream, {writes(between)});
  program.at_line(10).launch("consume", stream, {reads(between), writes(device)});
  observations observed = observations_of();
  trace::recording& recording = *observed.runs.back().outcome.recording;
  recording.operations[allocation - 1].kind = trace::operation_kind::allocate;
  recording.operations[producer - 1].end =
      recording.operations[producer].start + std::chrono::nanoseconds(10);
  const auto found = input_late_behind(run_facts(observed, ""), producer + 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->places.at(0).line, 10u);
  EXPECT_THAT(found->sentence, HasSubstr("(program.cu:9) had written what belongs there."));
}

TEST_F(ElementHistory, ACopyThatIsQueuedBeforeTheHostWritesItsSourceIsFound) {
  const trace::memory input = program.allocate(memory_kind::pinned, 64);
  const auto copy = program.at_line(9).copy(input, device, stream);
  program.at_line(10).host_writes(input);
  const auto kernel = program.at_line(11).launch("double", stream, {reads(device), writes(device)});
  const observations observed = observations_of();
  const auto found = input_copied_early_behind(run_facts(observed, ""), kernel);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->places.at(0).line, 9u);
  EXPECT_THAT(found->sentence, HasSubstr("into which the host wrote (program.cu:10) only after that copy"));
  EXPECT_EQ(copy + 1, kernel);
}

TEST_F(ElementHistory, OfLaunchesThatEachLeaveOutTheirEndTheGapIsTold) {
  for (const std::uint64_t begin : {0u, 24u, 48u})
    program.at_line(10).launch("fill", stream, {writes(slice(device, begin, 16))});
  program.at_line(11).copy(device, output, stream);
  EXPECT_THAT(
      of(20).sentence,
      HasSubstr(
          "The 3 launches of that line leave out 2 elements behind each, before the next one's begin."));
}

TEST_F(ElementHistory, OfALaunchWithTooFewThreadsTheirNumberIsTold) {
  const auto kernel = program.at_line(10).launch("fill", stream, {writes(slice(device, 0, 48))});
  program.at_line(11).copy(device, output, stream);
  observations observed = observations_of();
  trace::operation& launched = observed.runs.back().outcome.recording->operations[kernel - 1];
  launched.grid = {3, 1, 1};
  launched.block = {4, 1, 1};
  launched.integers = {16};
  observed.runs.back().outcome.recording->kernels = {{launched.name, {"elements"}}};
  const element_history found = history_of(run_facts(observed, ""), "output", 48);
  EXPECT_TRUE(found.is_never_made);
  EXPECT_TRUE(found.has_too_few_threads);
  EXPECT_THAT(found.sentence,
              HasSubstr("(program.cu:10). Its launch has 3 blocks of 4 threads, 12 in all, and was given "
                        "`elements` = 16. Each wrote one element, the last of them 11."));
  EXPECT_FALSE(history_of(run_facts(observed, ""), "output", 52).has_too_few_threads) << "not right behind";
}

TEST_F(ElementHistory, TheNearestKernelIsNamedWithItsIntegerArguments) {
  const auto kernel = program.at_line(10).launch("fill", stream, {writes(slice(device, 0, 48))});
  program.at_line(11).copy(device, output, stream);
  observations observed = observations_of();
  trace::recording& recording = *observed.runs.back().outcome.recording;
  recording.operations[kernel - 1].integers = {0, 3};
  recording.kernels = {{"fill", {"first_tile", "end_tile"}}};
  EXPECT_THAT(
      history_of(run_facts(observed, ""), "output", 52).sentence,
      HasSubstr(
          "is the kernel fill 1 in stream 2 (program.cu:10), which was given `first_tile` = 0, `end_tile` = 3."));
}

TEST_F(ElementHistory, TheNearestCopyIsComparedWithTheOthersOfItsLine) {
  for (const std::uint64_t begin : {0, 16, 32}) {
    const std::uint64_t bytes = begin == 32 ? 4 : 16;
    program.at_line(11).copy(slice(device, begin, bytes), slice(output, begin, bytes), stream);
  }
  EXPECT_THAT(of(40).sentence,
              HasSubstr("of 4 bytes to the host in stream 2 (program.cu:11). The other 2 copies of "
                        "that line are of 16 bytes each."));
}

TEST_F(ElementHistory, ACopyOfWhatNobodyWroteIsTheLineToLookAt) {
  program.at_line(11).copy(device, output, stream);
  EXPECT_EQ(of(8).places.at(0).line, 11u);
  EXPECT_THAT(of(8).sentence, HasSubstr("no operation of your function writes it there"));
}

TEST_F(ElementHistory, ACopyThatBeganTooEarlySaysSo) {
  program.at_line(11).copy(device, output, stream);
  program.at_line(12).launch("fill", stream, {writes(device)});
  EXPECT_EQ(of(8).places.at(0).line, 11u);
  EXPECT_THAT(of(8).sentence, HasSubstr("began before its source was written"));
}

TEST_F(ElementHistory, WhatNobodyWroteLeadsToTheNearestThatDid) {
  program.at_line(11).copy(slice(device, 0, 32), slice(output, 0, 32), stream);
  EXPECT_EQ(of(40).places.at(0).line, 11u);
  EXPECT_TRUE(of(40).is_left_out);
  EXPECT_THAT(of(40).sentence, HasSubstr("No operation wrote it"));
}

TEST_F(ElementHistory, OfAGapWhatWroteOnItsOtherSideIsNamedToo) {
  program.at_line(10).launch("fill", stream, {writes(slice(device, 0, 16))});
  program.at_line(11).launch("fill", stream, {writes(slice(device, 48, 16))});
  program.at_line(12).copy(device, output, stream);
  const element_history found = of(16);
  EXPECT_THAT(found.sentence, HasSubstr("that did write is the kernel fill 1 in stream 2 (program.cu:10). "
                                        "Behind the gap it is the kernel fill 2 in stream 2 "
                                        "(program.cu:11)."));
  ASSERT_EQ(found.places.size(), 3u);
  EXPECT_EQ(found.places.at(0).line, 10u);
  EXPECT_EQ(found.places.at(1).line, 11u);
  EXPECT_EQ(of(44).places.at(0).line, 11u);
}

TEST_F(ElementHistory, ABufferThatNobodyWroteHasNoLine) {
  EXPECT_TRUE(of(8).places.empty());
  EXPECT_THAT(of(8).sentence, HasSubstr("at all"));
}

}  // namespace
}  // namespace matchers
