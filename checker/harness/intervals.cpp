#include "harness/intervals.h"

#include <algorithm>

namespace harness {

std::vector<interval> united(std::vector<interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<interval> apart;
  for (const interval& each : intervals) {
    if (!apart.empty() && each.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, each.second);
    } else {
      apart.push_back(each);
    }
  }
  return apart;
}

std::vector<interval> common(const std::vector<interval>& left, const std::vector<interval>& right) {
  std::vector<interval> both;
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const auto begin = std::max(left[i].first, right[j].first);
    const auto end = std::min(left[i].second, right[j].second);
    if (begin < end) both.emplace_back(begin, end);
    left[i].second < right[j].second ? ++i : ++j;
  }
  return both;
}

trace::nanoseconds length(const std::vector<interval>& intervals) {
  trace::nanoseconds sum{0};
  for (const interval& each : intervals) sum += each.second - each.first;
  return sum;
}

}  // namespace harness
