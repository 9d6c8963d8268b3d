#include "matchers/facts/left_threads.h"

#include <fmt/core.h>

#include <string>

#include "analysis/host_points.h"
#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "report/wording/names.h"

namespace matchers {

trace::thread_id thread_left_by(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  if (!recording.host_accesses || calls.empty()) return 0;
  const trace::thread_id main_thread = recording.calls.front().thread;
  trace::call_id last = calls.back();
  while (last > 0 && recording.call_at(last).thread != main_thread) --last;
  const analysis::host_point end{main_thread, last, analysis::last_step};
  for (const trace::call_id id : calls) {
    const trace::thread_id thread = recording.call_at(id).thread;
    if (thread == main_thread ||
        !recording.leads_to_line(analysis::place_of_start(recording, thread)) ||
        run.ordering().is_before(analysis::host_point{thread, id}, end))
      continue;
    return thread;
  }
  return 0;
}

void tell_of_left_thread(const trace::recording& recording, const learner_source& source, trace::thread_id thread,
                         report::evidence& why) {
  const std::string start = recording.describe(analysis::place_of_start(recording, thread));
  const std::string detached = line_of_detach(source);
  if (start.empty()) return;
  why.observation += fmt::format(
      " {} was started in {}{}: nothing lets your function wait for its end, so it may go on when the function has returned.",
      report::capitalized(report::thread_in_words(thread)), start,
      detached.empty() ? "" : fmt::format(" and is detached in {}", detached));
  std::string lines = detached.empty() || detached == start ? start : detached + ", " + start;
  if (!why.where.empty() && why.where != lines) lines += ", " + why.where;
  why.where = lines;
}

}  // namespace matchers
