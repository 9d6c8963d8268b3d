#include "report/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/golden.h"
#include "report/sample_sweep.h"
#include "report/text_layout.h"

namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Every number of streams to 16 and of chunks to 64.
sweep large_sweep() {
  sweep measured = sample_sweep();
  measured.points.clear();
  for (int streams = 1; streams <= 16; ++streams) {
    for (int chunks = 1; chunks <= 64; ++chunks) {
      const int time = 1300 + 600 / streams + 4 * (chunks > 13 ? chunks - 13 : 13 - chunks);
      measured.points.push_back({{streams, chunks}, std::chrono::microseconds{time}, true});
    }
  }
  return measured;
}

TEST(SweepText, LooksAsAgreed) { expect_golden("sweep.txt", sweep_text(sample_sweep(), {.width = 80})); }

TEST(SweepText, LooksAsAgreedInAscii) {
  const std::string text = sweep_text(sample_sweep(), {.width = 80, .characters = character_set::ascii});
  for (const char letter : text) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~'));
  expect_golden("sweep_ascii.txt", text);
}

TEST(SweepText, IsNeverWiderThanAsked) {
  for (const int width : {40, 60, 80, 120}) {
    for (const sweep& measured : {sample_sweep(), large_sweep()}) {
      std::istringstream lines(sweep_text(measured, {.width = width}));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
    }
  }
}

TEST(SweepText, OfALargeGridTheOptimumIsShown) {
  const std::string text = sweep_text(large_sweep(), {.width = 80});
  EXPECT_THAT(text, HasSubstr("\n    13"));
  EXPECT_THAT(text, HasSubstr("*1.337"));
  EXPECT_THAT(text, HasSubstr("Not shown:"));
}

TEST(SweepText, WrongResultsAreMarked) {
  sweep measured = sample_sweep();
  EXPECT_THAT(sweep_text(measured, {}), Not(HasSubstr("! wrong result")));
  measured.points[1].is_right = false;
  EXPECT_THAT(sweep_text(measured, {}), HasSubstr("!2.010"));
}

}  // namespace
}  // namespace report
