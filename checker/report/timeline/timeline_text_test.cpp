#include "report/timeline/timeline_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/golden.h"
#include "report/sample_runs.h"
#include "report/text_layout.h"

namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The line of that lane without its name.
std::string lane_in(const std::string& text, const std::string& name) {
  for (const std::string& line : lines_of(text)) {
    if (line.rfind(name, 0) == 0) return line.substr(name.size());
  }
  return "";
}

int times_in(const std::string& text, const std::string& part) {
  int times = 0;
  for (std::size_t found = text.find(part); found != std::string::npos; found = text.find(part, found + 1))
    ++times;
  return times;
}

TEST(TimelineText, SerialRunLooksAsAgreed) {
  expect_golden("timeline_serial.txt", timeline_text(serial_sample(), {}));
}
TEST(TimelineText, OverlappedRunLooksAsAgreed) {
  expect_golden("timeline_overlapped.txt", timeline_text(overlapped_sample(), {}));
}
TEST(TimelineText, OverlappedRunInAsciiLooksAsAgreed) {
  expect_golden("timeline_overlapped_ascii.txt",
                timeline_text(overlapped_sample(), {.width = 80, .characters = character_set::ascii}));
}
TEST(TimelineText, CrowdedRunLooksAsAgreed) {
  expect_golden("timeline_crowded.txt", timeline_text(crowded_sample(), {}));
}
TEST(TimelineText, NarrowestDrawingLooksAsAgreed) {
  expect_golden("timeline_narrow.txt", timeline_text(overlapped_sample(), {.width = 40}));
}

TEST(TimelineText, NoLineIsWiderThanAsked) {
  for (const trace::recording& recording : {serial_sample(), overlapped_sample(), crowded_sample()}) {
    for (int width = 40; width <= 200; ++width) {
      for (const std::string& line : lines_of(timeline_text(recording, {.width = width}))) {
        EXPECT_LE(width_of(line), width) << line;
      }
    }
  }
}

TEST(TimelineText, WidthsBelowFortyAreDrawnWithForty) {
  EXPECT_EQ(timeline_text(serial_sample(), {.width = 7}), timeline_text(serial_sample(), {.width = 40}));
}

TEST(TimelineText, AsciiDrawingHoldsOnlyAscii) {
  const std::string text = timeline_text(crowded_sample(), {.characters = character_set::ascii});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char byte) { return byte == '\n' || (byte >= ' ' && byte <= '~'); }));
}

TEST(TimelineText, OperationsShorterThanAColumnRemainVisible) {
  sample_run run;
  run.kernel("long_one", 1, 0, 10, 100'000);
  run.memset(1, 4, 100'000, 100'001);
  run.kernel("long_one", 1, 8, 100'001, 200'000);
  const std::string text = timeline_text(run.recording, {.part = "", .characters = character_set::ascii});
  EXPECT_EQ(times_in(lane_in(text, "memsets"), "|"), 1);
  EXPECT_EQ(times_in(lane_in(text, "default stream"), "|"), 3) << text;
}

TEST(TimelineText, ConcurrentKernelsGetARowEach) {
  sample_run run;
  run.kernel("left", run.stream(), 0, 10, 500);
  run.kernel("right", run.stream(), 4, 20, 510);
  const std::vector<std::string> lines = lines_of(timeline_text(run.recording, {.part = ""}));
  const auto kernels =
      std::find_if(lines.begin(), lines.end(), [](auto& line) { return line.rfind("kernels", 0) == 0; });
  ASSERT_NE(kernels, lines.end());
  EXPECT_THAT(kernels[0], HasSubstr("left 1"));
  EXPECT_THAT(kernels[1], HasSubstr("right 1"));
}

TEST(TimelineText, AnEventAfterTheLastOperationIsShown) {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.kernel("last", stream, 0, 10, 500);
  run.record(stream, 6, 500);
  const std::string text = timeline_text(run.recording, {.part = "", .characters = character_set::ascii});
  EXPECT_THAT(lane_in(text, "stream 2"), testing::EndsWith("*"));
}

TEST(TimelineText, WaitingLooksUnlikeWorkOfTheHost) {
  sample_run run;
  run.kernel("busy", run.stream(), 0, 10, 900);
  run.host_work(10, 400);
  run.call("cudaStreamSynchronize", 400, 900);
  const std::string host =
      lane_in(timeline_text(run.recording, {.part = "", .characters = character_set::ascii}), "host");
  EXPECT_THAT(host, HasSubstr("host_work%%%"));
  EXPECT_THAT(host, HasSubstr("cudaStreamSynchronize..."));
}

TEST(TimelineText, ACopyThatHoldsTheHostIsDrawnAsWaiting) {
  const std::string text = timeline_text(serial_sample(), {.characters = character_set::ascii});
  EXPECT_THAT(lane_in(text, "host"), HasSubstr("|cudaMemcpy.."));
}

TEST(TimelineText, EachHostThreadHasALane) {
  sample_run run;
  run.call("cudaMalloc", 0, 100, 1);
  run.call("cudaMalloc", 100, 200, 2);
  const std::string text = timeline_text(run.recording, {.part = ""});
  EXPECT_THAT(text, HasSubstr("host thread 1"));
  EXPECT_THAT(text, HasSubstr("host thread 2"));
}

TEST(TimelineText, OnlyThePartIsDrawn) {
  sample_run run;
  run.kernel("before", 1, 0, 10, 100);
  run.mark("begin:learner", 100);
  run.kernel("inside", 1, 100, 110, 400);
  run.mark("end:learner", 400);
  const std::string text = timeline_text(run.recording, {});
  EXPECT_THAT(text, HasSubstr("inside"));
  EXPECT_THAT(text, Not(HasSubstr("before")));
  EXPECT_THAT(text, HasSubstr("300 us in all"));
}

TEST(TimelineText, AMissingPartIsSaidInWords) {
  EXPECT_EQ(timeline_text(trace::recording{}, {}),
            "no timeline: the run ended before your function was measured\n");
}

TEST(TimelineText, AnEmptyPartIsSaidInWords) {
  sample_run run;
  run.mark("begin:learner", 5);
  run.mark("end:learner", 5);
  EXPECT_EQ(timeline_text(run.recording, {}),
            "no timeline: no CUDA call was made, so no copy and no kernel ran\n");
}

TEST(TimelineText, CallsThatTakeNoTimeAreSaidInWords) {
  sample_run run;
  run.call("cudaGetLastError", 0, 0);
  EXPECT_EQ(timeline_text(run.recording, {.part = ""}), "no timeline: everything took no time at all\n");
}

TEST(TimelineText, CallsThatEnqueueNothingAreDrawnAndSaidInWords) {
  sample_run run;
  run.call("cudaMalloc", 0, 100);
  EXPECT_THAT(timeline_text(run.recording, {.part = ""}),
              HasSubstr("nothing was enqueued: no copy and no kernel"));
  run.recording.calls.back().error_code = 700;
  run.recording.calls.back().error_name = "cudaErrorIllegalAddress";
  EXPECT_THAT(timeline_text(run.recording, {.part = ""}),
              HasSubstr("nothing was enqueued: calls failed, the first with cudaErrorIllegalAddress"));
}

TEST(TimelineText, AThousandStreamsAreCutToTheFirstSixteen) {
  sample_run run;
  for (int i = 0; i < 1000; ++i) run.kernel("k", run.stream(), 5 * i, 5 * i + 4, 5 * i + 9);
  const std::string text = timeline_text(run.recording, {.part = ""});
  EXPECT_THAT(text, HasSubstr("and 984 more streams"));
  EXPECT_LT(lines_of(text).size(), 60u);
}

TEST(TimelineText, AStressScheduleIsNamed) {
  trace::recording recording = serial_sample();
  recording.schedule = trace::schedule_kind::slow_copies;
  EXPECT_THAT(timeline_text(recording, {}), HasSubstr("schedule \"slow-copies\""));
}

TEST(TimelineText, AKernelNameCannotReachTheTerminal) {
  sample_run run;
  run.kernel("a\x1b[31m\nb", 1, 0, 10, 500);
  const std::string text = timeline_text(run.recording, {.part = ""});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace report
