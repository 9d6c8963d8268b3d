#include "analysis/part.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace analysis {
namespace {

/// The first mark of that name from `from` on.
std::vector<trace::mark>::const_iterator find_mark(const trace::recording& recording, const std::string& name,
                                                   std::vector<trace::mark>::const_iterator from) {
  const auto found =
      std::find_if(from, recording.marks.end(), [&](const trace::mark& mark) { return mark.name == name; });
  if (found == recording.marks.end()) throw std::out_of_range("the recording has no mark '" + name + "'");
  return found;
}

}  // namespace

trace::nanoseconds part::duration() const {
  trace::nanoseconds last = end;
  for (const trace::operation_id id : operations) last = std::max(last, recording->operation_at(id).end);
  for (const trace::call_id id : calls) last = std::max(last, recording->call_at(id).end);
  return last - begin;
}

part part_of(const trace::recording& recording, std::string_view name) {
  part result;
  result.recording = &recording;
  trace::call_id first_call = 1, last_call = static_cast<trace::call_id>(recording.calls.size());
  trace::operation_id first_operation = 1,
                      last_operation = static_cast<trace::operation_id>(recording.operations.size());
  result.end = recording.end;
  if (!name.empty()) {
    const auto begin = find_mark(recording, "begin:" + std::string(name), recording.marks.begin());
    const auto end = find_mark(recording, "end:" + std::string(name), begin);
    first_call = begin->after + 1;
    last_call = end->after;
    first_operation = begin->after_operation + 1;
    last_operation = end->after_operation;
    result.begin = begin->time;
    result.end = end->time;
    result.ended_at = end->where;
  }
  for (trace::call_id id = first_call; id <= last_call; ++id) result.calls.push_back(id);
  for (trace::operation_id id = first_operation; id <= last_operation; ++id) result.operations.push_back(id);
  return result;
}

trace::nanoseconds begin_of_work(const part& part) {
  if (part.operations.empty()) return part.begin;
  const trace::call_id first = part.recording->operation_at(part.operations.front()).issued_by;
  return first == 0 ? part.recording->operation_at(part.operations.front()).issued
                    : part.recording->call_at(first).start;
}

trace::nanoseconds duration_of_work(const part& part) {
  trace::nanoseconds last = begin_of_work(part);
  for (const trace::operation_id id : part.operations) {
    const trace::operation& operation = part.recording->operation_at(id);
    if (is_device_work(operation.kind)) last = std::max(last, operation.end);
  }
  return last - begin_of_work(part);
}

}  // namespace analysis
