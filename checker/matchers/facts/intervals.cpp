#include "matchers/facts/intervals.h"

#include <algorithm>

namespace matchers {

std::vector<interval> running_times(const trace::recording& recording,
                                    const std::vector<trace::operation_id>& operations) {
  std::vector<interval> times;
  for (trace::operation_id id : operations) {
    times.emplace_back(recording.operation_at(id).start, recording.operation_at(id).end);
  }
  return times;
}

std::vector<interval> times_of_calls(const trace::recording& recording,
                                     const std::vector<trace::call_id>& calls) {
  std::vector<interval> times;
  for (trace::call_id id : calls) times.emplace_back(recording.call_at(id).start, recording.call_at(id).end);
  return times;
}

std::vector<interval> united(std::vector<interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<interval> apart;
  for (const interval& next : intervals) {
    if (!apart.empty() && next.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, next.second);
    } else {
      apart.push_back(next);
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
  for (const interval& next : intervals) sum += next.second - next.first;
  return sum;
}

std::optional<interval> longest_pause(const std::vector<interval>& busy) {
  std::optional<interval> longest;
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const interval pause{busy[i - 1].second, busy[i].first};
    if (!longest || pause.second - pause.first > longest->second - longest->first) longest = pause;
  }
  return longest;
}

trace::operation_id first_starting_at(const trace::recording& recording,
                                      const std::vector<trace::operation_id>& operations,
                                      trace::nanoseconds when) {
  return *std::find_if(operations.begin(), operations.end(),
                       [&](trace::operation_id id) { return recording.operation_at(id).start == when; });
}

}  // namespace matchers
