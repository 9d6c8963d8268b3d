#include "analysis/places.h"

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

}  // namespace analysis
