// warp.h: where the threads of one warp meet: shuffles, votes, __syncwarp() and the like.
//
// A thread that comes to such an operation gives a value and names the lanes that have to come too (the
// mask); when those that have not ended are there, each gets what all gave. Here: who waits at what, and who
// waits in vain. Not here: how a thread waits (kernel_run.h), what an operation makes of the values
// (device_functions.cpp).
//
//     if (auto problem = warp.arrive(lane, arrival)) stop(*problem);
//     lane_mask done = warp.complete(arrival, lanes_that_run);   // 0: others are missing
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/memory.h"

namespace kernels {

/// A bit for each of the 32 lanes of a warp, as CUDA's masks.
using lane_mask = std::uint32_t;

/// What the lanes of a warp gave at one operation.
struct warp_values {
  lane_mask lanes = 0;                  ///< those that took part
  std::array<std::uint64_t, 32> values;  ///< by lane; only those of `lanes` have a value
};

/// A thread at an operation of its warp. It lives on the thread's stack while the thread waits.
struct warp_arrival {
  const char* operation;  ///< "__shfl_sync": all lanes have to come to the same one
  lane_mask mask;         ///< the lanes that have to come
  std::uint64_t value;    ///< what the thread gives
  address code;           ///< where the thread is
  warp_values all;        ///< filled in when the operation is complete
};

/// The lanes of one warp of a running block.
class warp {
 public:
  /// Notes that a lane has come. When it can never go on, says why: its mask leaves it out, or a lane that it
  /// waits for waits for it at another operation.
  std::optional<std::string> arrive(unsigned lane, warp_arrival& arrival);
  /// The lanes that may go on, with their values filled in, when all lanes of the arrival's mask but those
  /// that have ended have come to it; 0 when others are missing.
  lane_mask complete(const warp_arrival& arrival, lane_mask alive);

  /// The lanes that have come to an operation that is not complete.
  lane_mask waiting() const { return waiting_; }
  /// The operation at which a waiting lane is.
  const warp_arrival& arrival_of(unsigned lane) const { return *arrivals_[lane]; }

 private:
  /// Lanes that have come to the same operation with the same mask.
  struct meeting {
    const char* operation;
    lane_mask mask;
    lane_mask lanes;
  };
  static bool matches(const meeting& one, const warp_arrival& arrival);

  lane_mask waiting_ = 0;
  std::vector<meeting> meetings_;
  std::array<warp_arrival*, 32> arrivals_{};
};

/// "lane 5", "lanes 0 to 15, 17".
std::string lanes_in_words(lane_mask lanes);

/// Calls `function(lane)` for each lane of the mask, the lowest first.
template <typename Function>
void for_each_lane(lane_mask lanes, Function function) {
  for (; lanes != 0; lanes &= lanes - 1) function(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace kernels
