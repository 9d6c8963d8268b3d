// limits.h: how much of a recording is judged.
//
// Most work grows in proportion to the recording. What grows with the pairs of streams, where many of them wait for each
// other or touch the same bytes, has a limit here: beyond it the recording is not judged, and the reader is told why.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace analysis {

/// For the clocks of an ordering. 10 000 streams that wait for each other at random reach it with some 25 000 waits.
inline constexpr std::size_t max_clock_bytes = std::size_t{1} << 30;

/// Accesses that are kept as later ones could race with them, one a stream and undivided range of bytes; some 100 bytes
/// each. 3 000 streams that each touch all of 3 000 ranges reach it.
inline constexpr std::size_t max_live_accesses = 10'000'000;

/// Earlier operations and host accesses with which one is reported to race. The others are left out: they would have the same cause.
inline constexpr std::size_t max_races_of_access = 100;

/// Thrown when a recording is beyond a limit. what() is a sentence for the reader.
class too_large : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

}  // namespace analysis
