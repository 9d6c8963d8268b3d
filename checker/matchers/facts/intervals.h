// intervals.h: stretches of time, and how much of them lies in others.
//
//     const std::vector<matchers::interval> busy = matchers::united(matchers::running_times(recording,
//     copies)); matchers::length(matchers::common(busy, matchers::united(matchers::times_of_calls(recording,
//     work))));
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "trace/recording.h"

namespace matchers {

/// From `first` to `second`.
using interval = std::pair<trace::nanoseconds, trace::nanoseconds>;

/// When each of the operations ran.
std::vector<interval> running_times(const trace::recording& recording,
                                    const std::vector<trace::operation_id>& operations);

/// When the host was in each of the calls.
std::vector<interval> times_of_calls(const trace::recording& recording,
                                     const std::vector<trace::call_id>& calls);

/// The same time without overlaps, in order.
std::vector<interval> united(std::vector<interval> intervals);

/// The time that is in both. Both must be united.
std::vector<interval> common(const std::vector<interval>& left, const std::vector<interval>& right);

/// The sum of their lengths.
trace::nanoseconds length(const std::vector<interval>& intervals);

/// The longest time between one and the next, the first of those when there are several; nothing when there
/// are fewer than two. They must be united.
std::optional<interval> longest_pause(const std::vector<interval>& busy);

/// The first of the operations, in the order given, that started then; one of them must have.
trace::operation_id first_starting_at(const trace::recording& recording,
                                      const std::vector<trace::operation_id>& operations,
                                      trace::nanoseconds when);

}  // namespace matchers
