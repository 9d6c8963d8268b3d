#include "matchers/waits_for_recorded_events.h"

#include <fmt/core.h>

#include <algorithm>

#include "matchers/findings.h"
#include "matchers/words.h"

namespace matchers {

namespace {

bool waits_for_nothing(const trace::recording& seen, const trace::host_call& call) {
  if (call.error_code != 0) return false;
  if (call.function == trace::api_function::cudaEventSynchronize) return call.captured == 0;
  if (call.operation == 0) return false;
  const trace::operation& issued = seen.operation_at(call.operation);
  return issued.kind == trace::operation_kind::event_wait && issued.captured == 0;
}

}  // namespace

bool WaitsForRecordedEvents::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const auto found = std::find_if(part.calls.begin(), part.calls.end(), [&](trace::call_id id) {
    return waits_for_nothing(seen, seen.call_at(id));
  });
  if (found == part.calls.end()) return true;
  const trace::host_call& call = seen.call_at(*found);
  report::evidence why;
  why.required = "An event is recorded before anything waits for it.";
  why.seen = fmt::format(
      "{} waits for an event that no call had recorded yet. That is no error: it returns cudaSuccess and "
      "waits "
      "for nothing.",
      in_words(seen, call));
  why.where = seen.describe(call.where);
  why.read_next = "The section \"The surprise\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::race_detected, why, "never_recorded"});
  return false;
}

void WaitsForRecordedEvents::DescribeTo(std::ostream* out) const {
  *out << "every event is recorded before anything waits for it";
}

void WaitsForRecordedEvents::DescribeNegationTo(std::ostream* out) const {
  *out << "something waits for an event that was never recorded";
}

}  // namespace matchers
