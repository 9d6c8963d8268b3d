// waiting_calls.h: which host calls wait for the GPU.
//
// Not by how long the call took: a wait for work that is already done is still a wait (trace/call_promise.h).
#pragma once

#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// The calls of the part in which the host waits, in order.
std::vector<trace::call_id> waiting_calls(const analysis::part& part);

/// The calls of host_work() in the part, in order.
std::vector<trace::call_id> working_calls(const analysis::part& part);

}  // namespace matchers
