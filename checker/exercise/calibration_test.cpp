#include "exercise/calibration.h"

#include <gmock/gmock.h>

#include <vector>

namespace {

/// In place of the library's.
class noted_marks final : public exercise::driver_tools {
 public:
  exercise::call current_call() const override { return exercise::call::repeated; }
  void mark(std::string_view name) const override { names.emplace_back(name); }
  void name_stream(const void*, std::string_view) const override {}
  void name_memory(const void*, std::size_t, std::string_view) const override {}

  mutable std::vector<std::string> names;
};

std::vector<std::string>& marks() {
  static noted_marks only;
  take_tools(only);
  return only.names;
}

}  // namespace

namespace {

using exercise::calibrated;
using exercise::cycles_for;
using exercise::line_fit;
using exercise::message;
using testing::ElementsAre;

TEST(Calibration, PartMarksBothEndsAndReturnsWhatTheWorkReturns) {
  marks().clear();
  EXPECT_EQ(exercise::part("serial", [] { return marks().size(); }), 1u);
  EXPECT_THAT(marks(), ElementsAre("begin:serial", "end:serial"));
}

TEST(Calibration, MedianIsTheMiddleOneOfThree) {
  const std::vector<double> measured{3, 1, 2};
  std::size_t next = 0;
  EXPECT_EQ(exercise::median_of_three([&] { return measured[next++]; }), 2);
}

TEST(Calibration, TwoEqualMeasurementsAreTheMedian) {
  int measurements = 0;
  EXPECT_EQ(exercise::median_of_three([&] { return ++measurements, 5.0; }), 5);
  EXPECT_EQ(measurements, 2);
}

TEST(Calibration, CyclesLieOnTheLineThroughTwoMeasurements) {
  const auto milliseconds = [](long long cycles) { return 0.5f + static_cast<float>(cycles) / 1000; };
  EXPECT_EQ(cycles_for(2.5, 1000, milliseconds), 2000);
  EXPECT_EQ(cycles_for(2.5, 1000, milliseconds, line_fit::straight), 2000);
}

// The kernel's own work takes 1 ms and runs beside its cycles, of which 1000 take 1 ms.
TEST(Calibration, SecondLineCorrectsTheGuessWhereTheFirstOneIsBent) {
  const auto milliseconds = [](long long cycles) {
    return std::max(1.0, static_cast<double>(cycles) / 1000);
  };
  EXPECT_EQ(cycles_for(4, 2000, milliseconds, line_fit::straight), 6000);
  EXPECT_EQ(cycles_for(4, 2000, milliseconds), 4000);
}

TEST(Calibration, ThereAreNoCyclesForATimeThatTheKernelNeedsAnyway) {
  EXPECT_EQ(cycles_for(0.5, 1000, [](long long) { return 1.0; }), 0);
}

TEST(Calibration, FirstRunMeasuresAndPutsTheNumbersIntoTheAnswer) {
  marks().clear();
  message answer;
  const auto numbers = calibrated(message{}, answer, {"cycles", "copy"}, [] { return std::array{7.0, 8.0}; });
  EXPECT_THAT(numbers, ElementsAre(7, 8));
  EXPECT_EQ(answer.number("calibrated.cycles"), 7);
  EXPECT_EQ(answer.number("calibrated.copy"), 8);
  EXPECT_THAT(marks(), ElementsAre("begin:calibration", "end:calibration"));
}

TEST(Calibration, OtherRunsTakeTheNumbersOfTheRequest) {
  marks().clear();
  message request;
  request.set("calibrated.cycles", 7.0);
  message answer;
  EXPECT_EQ(calibrated(request, answer, "cycles", [] { return 9.0; }), 7);
  EXPECT_EQ(answer.number("calibrated.cycles"), 7);
  EXPECT_THAT(marks(), ElementsAre());
}

}  // namespace
