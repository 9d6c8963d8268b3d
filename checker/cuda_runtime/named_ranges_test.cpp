#include "cuda_runtime/named_ranges.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

using trace::nanoseconds;

TEST(NamedRanges, APopEndsTheInnermostRangeOfItsThread) {
  named_ranges ranges;
  EXPECT_EQ(ranges.push({.name = "outer", .thread = 1, .start = nanoseconds{1}}), 0);
  EXPECT_EQ(ranges.push({.name = "inner", .thread = 1, .start = nanoseconds{2}}), 1);
  EXPECT_EQ(ranges.push({.name = "other", .thread = 2, .start = nanoseconds{3}}), 0);
  EXPECT_EQ(ranges.pop(1, "", nanoseconds{4}), 1);
  EXPECT_EQ(ranges.pop(1, "", nanoseconds{5}), 0);
  const auto recorded = ranges.take(nanoseconds{9});
  EXPECT_EQ(recorded.at(0).end, nanoseconds{5});
  EXPECT_EQ(recorded.at(1).end, nanoseconds{4});
  EXPECT_EQ(recorded.at(2).end, nanoseconds{9});
}

TEST(NamedRanges, APopWithoutARangeSaysSo) {
  named_ranges ranges;
  ranges.push({.name = "load", .domain = "library", .thread = 1});
  EXPECT_EQ(ranges.pop(1, "", nanoseconds{1}), -1);
  EXPECT_EQ(ranges.pop(1, "library", nanoseconds{1}), 0);
}

TEST(NamedRanges, ARangeEndsOnce) {
  named_ranges ranges;
  const std::uint64_t id = ranges.begin({.name = "load", .thread = 1});
  ranges.end(id, nanoseconds{3});
  ranges.end(id, nanoseconds{7});
  ranges.end(0, nanoseconds{7});
  ranges.end(99, nanoseconds{7});
  EXPECT_EQ(ranges.take(nanoseconds{9}).at(0).end, nanoseconds{3});
}

TEST(NamedRanges, AMarkIsAPointInTime) {
  named_ranges ranges;
  ranges.mark({.name = "here", .thread = 1, .start = nanoseconds{5}});
  const auto recorded = ranges.take(nanoseconds{9});
  EXPECT_EQ(recorded.at(0).start, recorded.at(0).end);
}

}  // namespace
}  // namespace cuda_runtime
