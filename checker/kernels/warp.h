// warp.h: operations that join the threads of one warp: shuffles, votes, __syncwarp().
//
// A thread passes a value and the mask of lanes that take part; when all of those that have not ended have
// arrived, each gets all values. Also detects lanes that wait in vain. Not here: suspending a thread
// (kernel_run.h), the result of each operation (device_functions.cpp).
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

/// The values of the lanes at one operation.
struct warp_values {
  lane_mask lanes = 0;                   ///< those that took part
  std::array<std::uint64_t, 32> values;  ///< by lane; only those of `lanes` have a value
};

/// A thread at an operation of its warp. It lives on the thread's stack while the thread waits.
struct warp_arrival {
  const char* operation;  ///< "__shfl_sync"; the same for all lanes
  lane_mask mask;         ///< the lanes that take part
  std::uint64_t value;    ///< of this thread
  address code;           ///< its place in the code
  warp_values all;        ///< filled in when the operation is complete
};

/// The lanes of one warp of a running block.
class warp {
 public:
  /// Adds a waiting lane. Returns the reason when it can never resume: its mask leaves it out, or a lane that it
  /// waits for waits for it at another operation.
  std::optional<std::string> arrive(unsigned lane, warp_arrival& arrival);
  /// The lanes that can resume, with their values filled in, when all lanes of the arrival's mask that have not
  /// ended have arrived; 0 when some are missing.
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
