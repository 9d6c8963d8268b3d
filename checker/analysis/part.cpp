#include "analysis/part.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace analysis {
namespace {

/// The first mark of that name from `from` on.
std::vector<trace::mark>::const_iterator find_mark(const trace::recording& seen, const std::string& name,
                                                   std::vector<trace::mark>::const_iterator from) {
  const auto found =
      std::find_if(from, seen.marks.end(), [&](const trace::mark& mark) { return mark.name == name; });
  if (found == seen.marks.end()) throw std::out_of_range("the recording has no mark '" + name + "'");
  return found;
}

}  // namespace

trace::nanoseconds part::duration() const {
  trace::nanoseconds last = end;
  for (const trace::operation_id id : operations) last = std::max(last, seen->operation_at(id).end);
  for (const trace::call_id id : calls) last = std::max(last, seen->call_at(id).end);
  return last - begin;
}

part part_of(const trace::recording& seen, std::string_view name) {
  part result;
  result.seen = &seen;
  trace::call_id first_call = 1, last_call = static_cast<trace::call_id>(seen.calls.size());
  trace::operation_id first_operation = 1,
                      last_operation = static_cast<trace::operation_id>(seen.operations.size());
  result.end = seen.end;
  if (!name.empty()) {
    const auto begin = find_mark(seen, "begin:" + std::string(name), seen.marks.begin());
    const auto end = find_mark(seen, "end:" + std::string(name), begin);
    first_call = begin->after + 1;
    last_call = end->after;
    first_operation = begin->after_operation + 1;
    last_operation = end->after_operation;
    result.begin = begin->time;
    result.end = end->time;
  }
  for (trace::call_id id = first_call; id <= last_call; ++id) result.calls.push_back(id);
  for (trace::operation_id id = first_operation; id <= last_operation; ++id) result.operations.push_back(id);
  return result;
}

trace::nanoseconds begin_of_work(const part& of) {
  if (of.operations.empty()) return of.begin;
  const trace::call_id first = of.seen->operation_at(of.operations.front()).issued_by;
  return first == 0 ? of.seen->operation_at(of.operations.front()).issued : of.seen->call_at(first).start;
}

trace::nanoseconds duration_of_work(const part& of) {
  trace::nanoseconds last = begin_of_work(of);
  for (const trace::operation_id id : of.operations) {
    const trace::operation& operation = of.seen->operation_at(id);
    if (is_device_work(operation.kind)) last = std::max(last, operation.end);
  }
  return last - begin_of_work(of);
}

}  // namespace analysis
