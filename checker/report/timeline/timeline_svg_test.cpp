#include "report/timeline/timeline_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden.h"
#include "report/sample_runs.h"

namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two streams, of which the second waits for an event of the first.
trace::recording joined_sample() {
  sample_run run;
  const trace::stream_id first = run.stream(), second = run.stream();
  run.kernel("left", first, 0, 10, 100);
  run.record(first, 4, 100);
  run.wait(second, 6, 100);
  run.recording.operations.back().captured = 2;
  run.kernel("right", second, 8, 100, 200);
  return run.recording;
}

TEST(TimelineSvg, SerialRunLooksAsAgreed) {
  expect_golden("timeline_serial.svg", timeline_svg(serial_sample(), {.heading = "One after the other"}));
}
TEST(TimelineSvg, OverlappedRunLooksAsAgreed) {
  expect_golden("timeline_overlapped.svg", timeline_svg(overlapped_sample(), {.heading = "Two streams"}));
}

TEST(TimelineSvg, AsksForNothingFromOutside) {
  std::string text = timeline_svg(crowded_sample(), {});
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  text.erase(text.find(name_space), name_space.size());
  for (const char* address : {"http", "url(", "href", "@import", "<script"})
    EXPECT_THAT(text, Not(HasSubstr(address)));
}

TEST(TimelineSvg, TheDescriptionTellsTheOverlapAndEachLane) {
  const std::string text = timeline_svg(overlapped_sample(), {});
  const std::string description = text.substr(0, text.find("</desc>"));
  EXPECT_THAT(description, HasSubstr("copies ran while kernels ran: "));
  EXPECT_THAT(description, HasSubstr("kernels: 5 spans, busy for 450 us"));
}

TEST(TimelineSvg, EveryOperationIsDrawnOnItsEngineAndInItsStream) {
  const std::string text = timeline_svg(overlapped_sample(), {});
  EXPECT_EQ(times_in(text, "<title>H2D 1\n"), 2);
}

TEST(TimelineSvg, OverlapIsAStripOnlyWhereThereIsSome) {
  EXPECT_THAT(timeline_svg(overlapped_sample(), {}), HasSubstr("both at once"));
  EXPECT_THAT(timeline_svg(serial_sample(), {}), Not(HasSubstr("both at once")));
}

TEST(TimelineSvg, AWaitForAnEventOfAnotherStreamHasAnArrow) {
  EXPECT_EQ(times_in(timeline_svg(joined_sample(), {.part = ""}), "class=\"arrow\""), 1);
}

TEST(TimelineSvg, AWaitForAnEventOfTheSameStreamHasNoArrow) {
  trace::recording recording = joined_sample();
  for (trace::operation& operation : recording.operations) operation.stream = 2;
  EXPECT_EQ(times_in(timeline_svg(recording, {.part = ""}), "class=\"arrow\""), 0);
}

TEST(TimelineSvg, AnOperationNamesWhatItWaitedFor) {
  trace::recording recording = joined_sample();
  recording.operations.back().waited_for = {
      {{.kind = trace::constraint_kind::event, .operation = 2, .until = std::chrono::microseconds{100}}}};
  EXPECT_THAT(timeline_svg(recording, {.part = ""}), HasSubstr("why not earlier: "));
}

TEST(TimelineSvg, ALongerScaleMakesTheBarsShorter) {
  const std::string own = timeline_svg(serial_sample(), {});
  const std::string wide = timeline_svg(serial_sample(), {.length = std::chrono::microseconds{4000}});
  EXPECT_NE(own, wide);
  EXPECT_THAT(wide, HasSubstr(">4000</text>"));
}

TEST(TimelineSvg, ANameCannotLeaveItsPlace) {
  sample_run run;
  run.kernel("a\"><script>alert(1)</script>", 1, 0, 10, 500);
  EXPECT_THAT(timeline_svg(run.recording, {.part = "", .heading = "<b>&"}), Not(HasSubstr("<script")));
}

TEST(TimelineSvg, AMissingPartIsSaidInWords) {
  EXPECT_THAT(timeline_svg(trace::recording{}, {}),
              HasSubstr("No timeline: the run ended before your function was measured."));
}

TEST(TimelineSvg, TooManySpansAreSaidInWords) {
  sample_run run;
  for (int i = 0; i < 7000; ++i) run.kernel("k", 1, 5 * i, 5 * i + 4, 5 * i + 9);
  EXPECT_THAT(timeline_svg(run.recording, {.part = ""}), HasSubstr("21000 spans"));
}

}  // namespace
}  // namespace report
