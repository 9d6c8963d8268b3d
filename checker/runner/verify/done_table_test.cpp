#include "runner/verify/done_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace runner {
namespace {

using report::criterion_verdict;

report::criterion_result judged(const char* name, criterion_verdict verdict,
                                std::optional<report::measurement> measured = std::nullopt) {
  report::criterion_result result;
  result.name = name;
  result.verdict = verdict;
  result.measured = std::move(measured);
  return result;
}

std::map<std::string, done_row> some_rows() {
  return done_rows(
      {judged("ItIsRight", criterion_verdict::pass),
       judged("Overlaps", criterion_verdict::fail, report::measurement{"0.00", "at least 0.60"}),
       judged("IsMeasured", criterion_verdict::fail)},
      {judged("ItIsRight", criterion_verdict::pass),
       judged("Overlaps", criterion_verdict::pass, report::measurement{"0.86", "at least 0.60"}),
       judged("IsMeasured", criterion_verdict::pass, report::measurement{"1 % off", "at most 10 % off"})});
}

TEST(DoneTable, MeasuredColumnsAreWrittenAndTheRestIsKept) {
  EXPECT_EQ(
      with_measured_columns("# Page\n\n| `Overlaps` | copies, and `more` | 1 | 2 | 3 |\ntext\n", some_rows()),
      "# Page\n\n| `Overlaps` | copies, and `more` | 0.00 | 0.86 | at least 0.60 |\ntext\n");
}

TEST(DoneTable, WhatIsNotMeasuredIsYesOrNo) {
  EXPECT_EQ(with_measured_columns("| `ItIsRight` | all | | | |", some_rows()),
            "| `ItIsRight` | all | yes | yes | yes |");
  EXPECT_EQ(with_measured_columns("| `IsMeasured` | all | | | |", some_rows()),
            "| `IsMeasured` | all | no | 1 % off | at most 10 % off |");
}

TEST(DoneTable, OtherTablesAreLeftAlone) {
  constexpr auto calls = "| `cudaMemcpy` | copies |\n";
  EXPECT_EQ(with_measured_columns(calls, some_rows()), calls);
}

TEST(DoneTable, ARowWithOtherCellsIsAProblemOfItsLine) {
  try {
    with_measured_columns("\n| `Overlaps` | copies run | 0.5 |\n", some_rows());
    FAIL() << "no exception";
  } catch (const std::runtime_error& reason) {
    EXPECT_THAT(reason.what(), testing::HasSubstr("Line 2: the row of Overlaps has not the five cells"));
  }
}

}  // namespace
}  // namespace runner
