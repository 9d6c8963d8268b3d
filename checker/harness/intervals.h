// intervals.h: stretches of time, and how much of them lies in others.
//
//     harness::length(harness::common(harness::united(host), harness::united(copies)));
#pragma once

#include <utility>
#include <vector>

#include "trace/recording.h"

namespace harness {

/// From `first` to `second`.
using interval = std::pair<trace::nanoseconds, trace::nanoseconds>;

/// The same time without overlaps, in order.
std::vector<interval> united(std::vector<interval> intervals);

/// The time that is in both. Both must be united.
std::vector<interval> common(const std::vector<interval>& left, const std::vector<interval>& right);

/// The sum of their lengths.
trace::nanoseconds length(const std::vector<interval>& intervals);

}  // namespace harness
