// byte_segments.h: the bytes of an allocation, divided where the accesses to it begin and end.
//
// What is known about the bytes of a segment is the same for all of them. Not here: what is known.
//
//     byte_segments<accesses> known;                  // struct accesses { std::uint64_t end = 0; ... };
//     for (auto segment = divide(known, bounds); segment != known.end() && segment->first < bounds.end; ++segment) ...
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "trace/byte_set.h"

namespace analysis {

/// By begin; they do not overlap. `Segment` has a member `end`.
template <typename Segment>
using byte_segments = std::map<std::uint64_t, Segment>;

/// The first segment that reaches beyond that byte.
template <typename Segment>
auto first_behind(const byte_segments<Segment>& all, std::uint64_t byte) {
  auto segment = all.upper_bound(byte);
  if (segment != all.begin() && std::prev(segment)->second.end > byte) --segment;
  return segment;
}

/// Divides so that no segment lies across an end of the range and no byte of it is in none; gives the first.
template <typename Segment>
typename byte_segments<Segment>::iterator divide(byte_segments<Segment>& all, trace::byte_range range) {
  for (const std::uint64_t byte : {range.begin, range.end}) {
    const auto after = all.upper_bound(byte);
    if (after == all.begin()) continue;
    const auto holds = std::prev(after);
    if (holds->first == byte || holds->second.end <= byte) continue;
    all.emplace_hint(after, byte, holds->second);
    holds->second.end = byte;
  }
  auto next = all.lower_bound(range.begin);
  for (std::uint64_t begin = range.begin; begin < range.end;) {
    const bool is_last = next == all.end() || next->first >= range.end;
    const std::uint64_t end = is_last ? range.end : next->first;
    if (begin < end) {
      Segment added{};
      added.end = end;
      all.emplace_hint(next, begin, std::move(added));
    }
    if (is_last) break;
    begin = next->second.end;
    ++next;
  }
  return all.lower_bound(range.begin);
}

}  // namespace analysis
