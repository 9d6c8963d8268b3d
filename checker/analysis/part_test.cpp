#include "analysis/part.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using std::chrono::nanoseconds;

/// Five calls that issue five operations; the learner's part holds 3 and 4, and operation 4 outlasts its mark.
trace::recording five_kernels() {
  trace::recording recording;
  for (unsigned id = 1; id <= 5; ++id) {
    recording.calls.push_back(
        {.id = id, .start = nanoseconds(100 * id), .end = nanoseconds(100 * id + 10), .operation = id});
    recording.operations.push_back(
        {.id = id, .issued_by = id, .start = nanoseconds(100 * id + 50), .end = nanoseconds(100 * id + 250)});
  }
  recording.marks.push_back(
      {.name = "begin:learner", .time = nanoseconds(290), .after = 2, .after_operation = 2});
  recording.marks.push_back(
      {.name = "end:learner", .time = nanoseconds(420), .after = 4, .after_operation = 4});
  recording.end = nanoseconds(750);
  return recording;
}

TEST(Part, HoldsWhatWasBegunBetweenItsMarks) {
  const trace::recording recording = five_kernels();
  const analysis::part learner = analysis::part_of(recording, "learner");
  EXPECT_EQ(learner.calls, (std::vector<trace::call_id>{3, 4}));
  EXPECT_EQ(learner.operations, (std::vector<trace::operation_id>{3, 4}));
  EXPECT_EQ(learner.begin, nanoseconds(290));
  EXPECT_EQ(learner.end, nanoseconds(420));
}

TEST(Part, LastsUntilItsLastOperationHasEnded) {
  const trace::recording recording = five_kernels();
  EXPECT_EQ(analysis::part_of(recording, "learner").duration(), nanoseconds(650 - 290));
}

TEST(Part, LastsAtLeastUntilItsEndMark) {
  trace::recording recording = five_kernels();
  recording.marks.back().time = nanoseconds(1000);
  EXPECT_EQ(analysis::part_of(recording, "learner").duration(), nanoseconds(1000 - 290));
}

TEST(Part, WorksUntilAPrefetchHasEndedToo) {
  trace::recording recording = five_kernels();
  recording.operations[3].kind = trace::operation_kind::prefetch;
  recording.operations[4].kind = trace::operation_kind::event_record;
  EXPECT_EQ(analysis::duration_of_work(analysis::part_of(recording, "")), nanoseconds(650 - 100));
}

TEST(Part, WithoutANameIsTheWholeRun) {
  const trace::recording recording = five_kernels();
  const analysis::part whole = analysis::part_of(recording, "");
  EXPECT_EQ(whole.calls.size(), 5u);
  EXPECT_EQ(whole.operations.size(), 5u);
  EXPECT_EQ(whole.duration(), nanoseconds(750));
}

TEST(Part, WithoutItsMarksIsRefused) {
  trace::recording recording = five_kernels();
  EXPECT_THROW(analysis::part_of(recording, "serial"), std::out_of_range);
  recording.marks.pop_back();
  EXPECT_THROW(analysis::part_of(recording, "learner"), std::out_of_range);
}

}  // namespace
