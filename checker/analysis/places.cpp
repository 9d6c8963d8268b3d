#include "analysis/places.h"

#include <algorithm>

namespace analysis {

trace::location place_of_call(const trace::recording& recording, trace::call_id call) {
  return call == 0 ? trace::location{} : recording.call_at(call).where;
}

trace::location place_of_operation(const trace::recording& recording, trace::operation_id operation) {
  const trace::operation& issued = recording.operation_at(operation);
  return place_of_call(recording, issued.defined_by != 0 ? issued.defined_by : issued.issued_by);
}

trace::location place_of_issue(const trace::recording& recording, trace::operation_id operation) {
  return place_of_call(recording, recording.operation_at(operation).issued_by);
}

trace::location place_of_start(const trace::recording& recording, trace::thread_id thread) {
  const auto start = std::find_if(
      recording.host_edges.begin(), recording.host_edges.end(),
      [&](const trace::host_edge& edge) { return edge.to == thread && edge.from != 0; });  // its first edge
  return start == recording.host_edges.end() ? trace::location{} : start->where;
}

}  // namespace analysis
