// host_points.h: points on the host that are not the end of a call.
#pragma once

#include <cstdint>
#include <limits>

#include "analysis/ordering.h"
#include "trace/recording.h"

namespace analysis {

/// Later than any step between two calls.
constexpr auto last_step = std::numeric_limits<std::uint32_t>::max();

/// The point at which the thread enters that call: behind its call before, and behind all that others have let it know since.
inline host_point entry_of(const trace::recording& recording, const trace::host_call& call) {
  trace::call_id id = call.id - 1;
  while (id > 0 && recording.call_at(id).thread != call.thread) --id;
  return {call.thread, id, last_step};
}

}  // namespace analysis
