#include "matchers/facts/threads/left_threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "analysis/host_points.h"
#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "report/wording/names.h"

namespace matchers {

trace::thread_id thread_left_by(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const trace::nanoseconds end = run.part().end;
  if (!recording.host_accesses || recording.calls.empty()) return 0;
  const trace::thread_id main_thread = recording.calls.front().thread;
  trace::call_id before = 0;  // the part, of the main thread
  trace::call_id last = 0;
  for (const trace::host_call& call : recording.calls) {
    if (call.thread != main_thread || call.start > end) continue;
    if (call.start < run.part().begin) before = call.id;
    last = call.id;
  }
  const analysis::host_point return_of_learner{main_thread, last, analysis::last_step};
  for (const trace::host_edge& start : recording.host_edges) {
    const bool is_in_part = start.from_after >= before && start.from_after <= last;
    if (start.is_join || start.from == 0 || !is_in_part || !recording.leads_to_line(start.where)) continue;
    const auto unfinished =
        std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
          return call.thread == start.to && call.id > before &&
                 !run.ordering().is_before(analysis::host_point{call.thread, call.id}, return_of_learner);
        });
    if (unfinished != recording.calls.end()) return start.to;
  }
  return 0;
}

void tell_of_left_thread(const trace::recording& recording, const learner_source& source,
                         trace::thread_id thread, report::evidence& why) {
  const std::string start = recording.describe(analysis::place_of_start(recording, thread));
  const std::string detached = line_of_detach(source);
  if (start.empty()) return;
  why.observation += fmt::format(
      " {} was started in {}{}: nothing lets your function wait for its end, so it may go on when the function has returned.",
      report::capitalized(report::thread_in_words(thread)), start,
      detached.empty() ? "" : fmt::format(" and is detached in {}", detached));
  report::lead_first_to(why, start);
  report::lead_first_to(why, detached);
}

}  // namespace matchers
