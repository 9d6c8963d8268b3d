#include "analysis/ordering.h"

#include <algorithm>
#include <iterator>

#include "analysis/ordering_builder.h"
#include "trace/call_promise.h"

namespace analysis {

ordering::ordering(const trace::recording& recording, std::size_t limit_bytes) : recording_(&recording) {
  ordering_builder(recording, *this, limit_bytes).run();
}

bool ordering::is_before(trace::operation_id first, trace::operation_id second) const {
  return is_before(place_of_first_part(first), operations_.at(second - 1));
}

bool ordering::is_before(operation_point first, operation_point second) const {
  return is_before(place_of(first), place_of(second));
}

bool ordering::is_before(const placed& first, const placed& second) const {
  if (first.timeline == second.timeline) return first.position < second.position;
  return progress(second.before, first.timeline) >= first.position;
}

bool ordering::is_before(trace::operation_id operation, host_point host) const {
  const placed one = place_of_first_part(operation);
  return progress(clock_at(host), one.timeline) >= one.position;
}

bool ordering::is_before(operation_point first, host_point second) const {
  const placed one = place_of(first);
  return progress(clock_at(second), one.timeline) >= one.position;
}

bool ordering::is_before(host_point host, trace::operation_id operation) const {
  return is_before(host, operation, operations_.at(operation - 1).before);
}

bool ordering::is_before(host_point first, operation_point second) const {
  return is_before(first, second.operation, place_of(second).before);
}

bool ordering::is_before(host_point host, trace::operation_id operation, clock before) const {
  const trace::call_id issued_by = recording_->operation_at(operation).issued_by;
  if (issued_by != 0 && recording_->call_at(issued_by).thread == host.thread && issued_by > host.after)
    return true;
  const auto timeline = thread_timelines_.find(host.thread);
  if (timeline == thread_timelines_.end()) return false;
  return progress(before, timeline->second) > rank_of(host);
}

bool ordering::is_before(host_point first, host_point second) const {
  if (first.thread == second.thread)
    return std::pair(first.after, first.step) <= std::pair(second.after, second.step);
  const auto timeline = thread_timelines_.find(first.thread);
  return timeline != thread_timelines_.end() && progress(clock_at(second), timeline->second) > rank_of(first);
}

bool ordering::is_issued_before(trace::operation_id operation, host_point host) const {
  const trace::call_id issued_by = recording_->operation_at(operation).issued_by;
  if (issued_by == 0) return false;
  const trace::host_call& call = recording_->call_at(issued_by);
  if (call.thread == host.thread) return host.after >= call.id;
  return progress(clock_at(host), thread_timelines_.at(call.thread)) > rank_of(call.id);
}

bool ordering::source_is_free(trace::operation_id copy, host_point host) const {
  return is_before(copy, host) || (is_staged(copy) && is_issued_before(copy, host));
}

bool ordering::source_is_free(trace::operation_id copy, trace::operation_id operation) const {
  if (is_before(copy, operation)) return true;
  if (!is_staged(copy)) return false;
  const trace::host_call& call = recording_->call_at(recording_->operation_at(copy).issued_by);
  return is_before(host_point{call.thread, call.id}, operation);
}

bool ordering::is_staged(trace::operation_id copy) const {
  const trace::call_id issued_by = recording_->operation_at(copy).issued_by;
  return issued_by != 0 &&
         trace::promise_of(*recording_, recording_->call_at(issued_by)) == trace::call_promise::source_staged;
}

ordering::clock ordering::clock_at(host_point host) const {
  if (const auto learned = acquired_.find(host.thread); learned != acquired_.end()) {
    const auto later = std::upper_bound(
        learned->second.begin(), learned->second.end(), host, [](host_point point, const acquired& edge) {
          return std::pair(point.after, point.step) < std::pair(edge.after, edge.step);
        });
    if (later != learned->second.begin() && std::prev(later)->after == host.after)
      return std::prev(later)->known;
  }
  return host.after == 0 ? 0 : after_call_.at(host.after - 1);
}

std::size_t ordering::function_parts::part_of(std::uint32_t step) const {
  return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), step) - begins.begin());
}

ordering::placed ordering::place_of(operation_point point) const {
  placed place = operations_.at(point.operation - 1);
  const auto divided = parts_.find(point.operation);
  if (divided == parts_.end()) return place;
  const std::size_t part = divided->second.part_of(point.step);
  place.position -= static_cast<std::uint32_t>(divided->second.begins.size() - part);
  place.before = divided->second.before.at(part);
  return place;
}

ordering::placed ordering::place_of_first_part(trace::operation_id operation) const {
  placed place = operations_.at(operation - 1);
  if (const auto divided = parts_.find(operation); divided != parts_.end())
    place.position -= static_cast<std::uint32_t>(divided->second.begins.size());
  return place;
}

std::uint32_t ordering::rank_of(host_point host) const {
  const auto releases = releases_.find(host.thread);
  if (releases == releases_.end()) return rank_of(host.after);
  const auto begin =
      std::lower_bound(releases->second.begin(), releases->second.end(), place_between_calls{host.after, 0});
  const auto end =
      std::lower_bound(begin, releases->second.end(), place_between_calls{host.after, host.step});
  return rank_of(host.after) + static_cast<std::uint32_t>(end - begin);
}

}  // namespace analysis
