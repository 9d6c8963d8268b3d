#include "report/sweep_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden.h"
#include "report/sample_sweep.h"

namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SweepSvg, LooksAsAgreed) { expect_golden("sweep.svg", sweep_svg(sample_sweep())); }

TEST(SweepSvg, HasALineForEachValueAndATooltipForEachPoint) {
  const std::string text = sweep_svg(sample_sweep());
  EXPECT_EQ(times_in(text, "class=\"line\""), 3);
  EXPECT_EQ(times_in(text, "class=\"point\""), 12);
  EXPECT_THAT(text, HasSubstr("<title>4 streams, 8 chunks: 1.28 ms</title>"));
}

TEST(SweepSvg, TheDescriptionTellsTheOptimum) {
  const std::string text = sweep_svg(sample_sweep());
  EXPECT_THAT(text.substr(0, text.find("</desc>")), HasSubstr("Fastest: 4 streams, 8 chunks"));
}

TEST(SweepSvg, AWrongResultIsACrossAndNotOnTheLine) {
  sweep measured = sample_sweep();
  EXPECT_THAT(sweep_svg(measured), Not(HasSubstr("class=\"wrong\"")));
  measured.points[1].is_right = false;
  EXPECT_THAT(sweep_svg(measured), HasSubstr("1 stream, 2 chunks: a wrong result"));
  EXPECT_EQ(times_in(sweep_svg(measured), "class=\"point\""), 11);
}

TEST(SweepSvg, OneSettingIsDrawn) {
  sweep measured = sample_sweep();
  measured.points = {{{4, 8}, std::chrono::microseconds{1280}, true}};
  EXPECT_THAT(sweep_svg(measured), Not(HasSubstr("nan")));
}

TEST(SweepSvg, AsksForNothingFromOutside) {
  std::string text = sweep_svg(sample_sweep());
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  text.erase(text.find(name_space), name_space.size());
  for (const char* address : {"http", "url(", "href", "@import", "<script"})
    EXPECT_THAT(text, Not(HasSubstr(address)));
}

}  // namespace
}  // namespace report
