#include "analysis/overlap.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace analysis {
namespace {

/// When at least one of the operations ran: disjoint intervals in ascending order.
std::vector<interval> busy_times(const trace::recording& recording,
                                 const std::vector<trace::operation_id>& operations) {
  std::vector<interval> times;
  for (const trace::operation_id id : operations) {
    const trace::operation& operation = recording.operation_at(id);
    if (operation.start < operation.end) times.push_back({operation.start, operation.end});
  }
  std::sort(times.begin(), times.end(),
            [](const interval& one, const interval& two) { return one.begin < two.begin; });
  std::vector<interval> joined;
  for (const interval& time : times) {
    if (joined.empty() || joined.back().end < time.begin) {
      joined.push_back(time);
    } else {
      joined.back().end = std::max(joined.back().end, time.end);
    }
  }
  return joined;
}

trace::nanoseconds total(const std::vector<interval>& times) {
  trace::nanoseconds sum{0};
  for (const interval& time : times) sum += time.end - time.begin;
  return sum;
}

/// The times that both lists have.
std::vector<interval> common(const std::vector<interval>& ones, const std::vector<interval>& twos) {
  std::vector<interval> result;
  for (auto one = ones.begin(), two = twos.begin(); one != ones.end() && two != twos.end();) {
    const trace::nanoseconds begin = std::max(one->begin, two->begin), end = std::min(one->end, two->end);
    if (begin < end) result.push_back({begin, end});
    if (one->end < two->end) {
      ++one;
    } else {
      ++two;
    }
  }
  return result;
}

void require_positive(int number, const char* quantity) {
  if (number < 1)
    throw std::invalid_argument(std::string("pipeline_time: at least one ") + quantity + " is needed");
}

}  // namespace

double overlap_facts::fraction() const {
  const trace::nanoseconds shorter = std::min(first_busy, second_busy);
  if (shorter.count() == 0) return 0;
  return static_cast<double>(both_busy.count()) / static_cast<double>(shorter.count());
}

overlap_facts overlap(const trace::recording& recording, const std::vector<trace::operation_id>& first,
                      const std::vector<trace::operation_id>& second) {
  const std::vector<interval> ones = busy_times(recording, first), twos = busy_times(recording, second);
  overlap_facts facts;
  facts.first_busy = total(ones);
  facts.second_busy = total(twos);
  facts.both_busy = total(common(ones, twos));
  return facts;
}

std::vector<interval> both_busy_times(const trace::recording& recording,
                                      const std::vector<trace::operation_id>& first,
                                      const std::vector<trace::operation_id>& second) {
  return common(busy_times(recording, first), busy_times(recording, second));
}

trace::operation_id longest_alone(const trace::recording& recording,
                                  const std::vector<trace::operation_id>& first,
                                  const std::vector<trace::operation_id>& second) {
  const std::vector<interval> others = busy_times(recording, second);
  trace::operation_id longest = 0;
  trace::nanoseconds length{0};
  for (const trace::operation_id id : first) {
    const trace::operation& operation = recording.operation_at(id);
    if (operation.end - operation.start <= length) continue;
    const auto next =
        std::upper_bound(others.begin(), others.end(), operation.start,
                         [](trace::nanoseconds time, const interval& other) { return time < other.end; });
    if (next != others.end() && next->begin < operation.end) continue;
    longest = id;
    length = operation.end - operation.start;
  }
  return longest;
}

trace::nanoseconds pipeline_time(trace::nanoseconds h, trace::nanoseconds k, trace::nanoseconds d, int chunks,
                                 trace::nanoseconds per_operation) {
  require_positive(chunks, "chunk");
  const trace::nanoseconds longest = std::max({h, k, d});
  return (h + k + d - longest) / chunks + longest + per_operation * chunks;
}

trace::nanoseconds pipeline_time_with_lanes(trace::nanoseconds h, trace::nanoseconds k, trace::nanoseconds d,
                                            int chunks, int lanes, trace::nanoseconds per_operation) {
  require_positive(chunks, "chunk");
  require_positive(lanes, "lane");
  // In units of 1 ns / chunks, so that a stage of one chunk has a whole length.
  trace::nanoseconds stages[] = {h, k, d};
  *std::max_element(std::begin(stages), std::end(stages)) += per_operation * chunks;
  trace::nanoseconds free[3] = {};
  std::vector<trace::nanoseconds> left(chunks);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    trace::nanoseconds time = chunk >= lanes ? left[chunk - lanes] : trace::nanoseconds(0);
    for (int stage = 0; stage < 3; ++stage) {
      time = std::max(time, free[stage]) + stages[stage];
      free[stage] = time;
    }
    left[chunk] = time;
  }
  return left.back() / chunks;
}

double overlap_efficiency(trace::nanoseconds serial, trace::nanoseconds actual,
                          trace::nanoseconds attainable) {
  if (serial <= attainable) return 0;
  return static_cast<double>((serial - actual).count()) / static_cast<double>((serial - attainable).count());
}

}  // namespace analysis
