// poison.h: the values that drive.cpp finds in a request to fill memory with before the learner's part.
//
// A result that was never written, or copied back before it was computed, then names itself. Both values are
// far outside anything that a lesson computes, and what a kernel makes of one (twice or three times it) is not the other.
//
//     matchers::poison::add_to(request);   // scalars "poison.output" and "poison.device"
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "exercise/message.h"

namespace matchers::poison {

inline constexpr float output = -1.0e30f;  ///< host memory that results are copied to
inline constexpr float device = -7.25e30f;  ///< device memory

/// No lesson computes a value as large as this from anything but poison.
inline constexpr float threshold = 1.0e28f;

/// What memory of the virtual GPU holds that nothing has written since its allocation: 0xCD in each byte.
inline constexpr float fresh = std::bit_cast<float>(std::uint32_t{0xCDCDCDCD});

/// Whether the kernel of a lesson may have computed the value from `fresh`: they all take a few quarters of it, and add little.
inline bool is_of_fresh(float value) {
  constexpr float max_quarters = 64;
  const float quarters = 4 * value / fresh;
  const float whole = std::round(quarters);
  return whole != 0 && std::abs(whole) <= max_quarters && std::abs(quarters - whole) < 1e-4f;
}

/// Puts both values into the request, which tells drive.cpp to use them.
inline void add_to(exercise::message& request) {
  request.set("poison.output", static_cast<double>(output));
  request.set("poison.device", static_cast<double>(device));
}

}  // namespace matchers::poison
