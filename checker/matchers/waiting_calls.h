// waiting_calls.h: which host calls wait for the GPU.
//
// By what the call promises, not by how long it took: a wait for work that is already done is still a wait.
#pragma once

#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// Whether the host waits in that call: the synchronize calls, the copies and memsets that return when they
/// are done, asynchronous copies of pageable memory, and a query that said "not ready" (the host is polling).
bool host_waits_in(const trace::recording& recording, const trace::host_call& call);

/// The calls of the part in which the host waits, in order.
std::vector<trace::call_id> waiting_calls(const analysis::part& part);

/// The calls of host_work() in the part, in order.
std::vector<trace::call_id> working_calls(const analysis::part& part);

}  // namespace matchers
