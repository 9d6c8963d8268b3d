#include "matchers/facts/batch_way.h"

#include <gmock/gmock.h>

#include "trace/recording_builder.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using trace::memory_kind;

/// Two lanes, each with an input and an output of the host and a buffer of the device for each.
struct lane {
  trace::memory input, device_input, device_output, output;
};

class BatchWay : public ::testing::Test {
 protected:
  BatchWay() {
    program.mark("begin:learner");
    for (lane& made : lanes) {
      made.input = program.allocate(memory_kind::pinned, 64);
      made.device_input = program.allocate(memory_kind::device, 64);
      made.device_output = program.allocate(memory_kind::device, 64);
      made.output = program.allocate(memory_kind::pinned, 64);
    }
  }

  void take_through(int batch, int index) {
    const lane& used = lanes[index];
    program.mark("call:prepare:" + std::to_string(batch) + ":lanes[" + std::to_string(index) + "].input");
    program.at_line(32).copy(used.input, used.device_input, stream);
    program.at_line(33).launch("transform", stream, {reads(used.device_input), writes(used.device_output)});
    program.at_line(35).copy(used.device_output, used.output, stream);
  }

  observations observed() {
    trace::recording recording = program.recording();
    for (trace::operation& operation : recording.operations) {
      operation.start = std::chrono::nanoseconds(100 * operation.id);
      operation.end = operation.start + std::chrono::nanoseconds(50);
    }
    for (int index = 0; index < 2; ++index) {
      const std::string name = "lanes[" + std::to_string(index) + "].";
      recording.allocations[lanes[index].input.allocation - 1].name = name + "input";
      recording.allocations[lanes[index].output.allocation - 1].name = name + "output";
    }
    observations made;
    made.runs.emplace_back();
    made.runs.back().outcome.recording = recording;
    return made;
  }

  /// Of batch 0, taken out of that lane on line 23 when all has run, or at that time.
  std::string sentence(int index, int time = 100'000) {
    const observations made = observed();
    const trace::mark taken{
        .name = "source", .time = std::chrono::nanoseconds(time), .after_operation = 1000, .where = {1, 23}};
    const element_source source{.memory = "lanes[" + std::to_string(index) + "].output", .taken = &taken};
    const auto found = why_not_there(run_facts(made, ""), "batch", 0, source);
    return found ? found->sentence + " " + std::to_string(found->place.line) : "";
  }

  trace::recording_builder program;
  trace::stream_id stream = program.create_stream();
  lane lanes[2];
};

TEST_F(BatchWay, AResultThatWasBroughtElsewhereIsToldWithItsPlace) {
  take_through(0, 0);
  take_through(1, 1);
  EXPECT_EQ(
      sentence(1),
      "The result of batch 0 never was there: the copy D2H 1 of 64 bytes to the host in stream 2 (program.cu:35) brings it "
      "to `lanes[0].output` (pinned memory). So the call that took it out (program.cu:23) was given a number and memory that do "
      "not belong together, batch 0 and `lanes[1].output`. 23");
}

TEST_F(BatchWay, AResultThatWasWrittenOverNamesWhatWroteOverIt) {
  take_through(0, 0);
  take_through(1, 0);
  EXPECT_THAT(sentence(0),
              StartsWith("The result of batch 0 was there before, brought by the copy D2H 1 of"));
  EXPECT_THAT(
      sentence(0),
      HasSubstr("but the copy D2H 2 of 64 bytes to the host in stream 2 (program.cu:35) wrote over it "
                "before it was taken out (program.cu:23). 35"));
}

TEST_F(BatchWay, AResultThatComesLaterWasTakenTooEarly) {
  take_through(0, 0);
  EXPECT_THAT(sentence(0, 200), HasSubstr("comes there only later, by the copy D2H 1"));
}

TEST_F(BatchWay, InputThatWasFilledAnewBeforeItWasReadTellsNothing) {
  program.mark("call:prepare:0:lanes[0].input");
  take_through(1, 0);
  EXPECT_EQ(sentence(1), "");
}

TEST_F(BatchWay, ABufferThatWasWrittenOverOnTheWayTellsNothing) {
  program.mark("call:prepare:0:lanes[0].input");
  program.copy(lanes[0].input, lanes[0].device_input, stream);
  take_through(1, 0);
  EXPECT_EQ(sentence(1), "");
}

}  // namespace
}  // namespace matchers
