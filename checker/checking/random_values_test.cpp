#include "checking/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

TEST(RandomValues, TheSameSeedGivesTheSameValues) {
  checking::random_values first(7), second(7), other(8);
  const auto drawn = first.quarters(100, -5, 5);
  EXPECT_EQ(drawn, second.quarters(100, -5, 5));
  EXPECT_NE(drawn, other.quarters(100, -5, 5));
}

TEST(RandomValues, QuartersStayInTheirRangeAndReachBothEnds) {
  const auto drawn = checking::random_values(1).quarters(2000, -2, 3);
  EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), -2.0f);
  EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 3.0f);
  for (float value : drawn) EXPECT_EQ(value * 4, std::round(value * 4));
}

TEST(RandomValues, AnEmptyRangeIsRefused) {
  EXPECT_THROW(checking::random_values(1).integer(2, 1), std::invalid_argument);
}

}  // namespace
