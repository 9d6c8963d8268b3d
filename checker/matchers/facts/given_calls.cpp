#include "matchers/facts/given_calls.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

namespace matchers {

namespace {

/// The marks of the part that begin so, in their order.
std::vector<const trace::mark*> marks_of(const run_facts& run, const std::string& prefix) {
  std::vector<const trace::mark*> found;
  const auto& marks = run.recording().marks;
  const auto is_begin = [&](const trace::mark& mark) {
    return mark.name == "begin:learner" || mark.name.starts_with("begin:learner (");
  };
  // Of several that begin at the same time the last: the others are empty, or around it.
  const auto begin = std::find_if(marks.rbegin(), marks.rend(), [&](const trace::mark& one) {
    return one.name.starts_with("begin:") && one.time == run.part().begin;
  });
  auto mark = begin == marks.rend() ? std::find_if(marks.begin(), marks.end(), is_begin)  // all of the run
                                    : std::prev(begin.base());
  if (mark != marks.end()) ++mark;
  for (; mark != marks.end() && !is_begin(*mark); ++mark) {
    if (mark->name.starts_with(prefix)) found.push_back(&*mark);
  }
  return found;
}

template <typename Number>
bool read_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

/// Whether what the driver read behind the mark may belong to the call before, on the same line: since the mark of that nothing was
/// called elsewhere.
bool is_behind_another(const run_facts& run, const std::vector<const trace::mark*>& marks,
                       const trace::mark& mark) {
  const auto own = std::find(marks.begin(), marks.end(), &mark);
  if (own == marks.begin() || !(*std::prev(own))->where.is_same_line(mark.where)) return false;
  for (trace::call_id call = (*std::prev(own))->after + 1; call <= mark.after; ++call) {
    if (!run.recording().call_at(call).where.is_same_line(mark.where)) return false;
  }
  return true;
}

/// Of memory without a name: what the driver read next, in the call of the learner's line that the mark is about.
const trace::access* read_behind(const run_facts& run, const std::vector<const trace::mark*>& marks,
                                 const trace::mark& mark) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses || is_behind_another(run, marks, mark)) return nullptr;
  for (const trace::host_access& one : *recording.host_accesses) {
    const bool is_there =
        one.after == mark.after && one.where.is_same_line(mark.where) && recording.is_external(one.where);
    if (is_there && one.access.mode == trace::access_mode::read) return &one.access;
  }
  return nullptr;
}

}  // namespace

std::vector<given_call> calls_of_given(const run_facts& run, const std::string& function) {
  std::vector<given_call> calls;
  const std::string prefix = "call:" + function + ':';
  for (const trace::mark* const mark : marks_of(run, prefix)) {
    given_call call;
    std::string_view item = std::string_view(mark->name).substr(prefix.size());
    if (!read_number(item, call.item)) continue;
    call.where = run.recording().describe(mark->where);
    call.place = mark->where;
    call.after = mark->after;
    call.time = mark->time;
    calls.push_back(call);
  }
  return calls;
}

std::vector<filled_memory> memory_filled(const run_facts& run) {
  std::vector<filled_memory> found;
  const std::string_view prefix = "call:";
  for (const trace::mark* const mark : marks_of(run, std::string(prefix))) {
    std::string_view rest = std::string_view(mark->name).substr(prefix.size());
    rest.remove_prefix(std::min(rest.size(), rest.find(':') + 1));
    filled_memory one;
    if (!read_number(rest, one.item) || rest.size() < 2) continue;
    one.memory = rest.substr(1);
    one.taken = mark;
    found.push_back(std::move(one));
  }
  return found;
}

std::string line_of_misplaced(const run_facts& run, const std::string& function) {
  const auto marks = marks_of(run, "misplaced:" + function);
  return marks.empty() ? "" : run.recording().describe(marks.front()->where);
}

std::optional<element_source> source_of_element(const run_facts& run, const std::string& answer,
                                                std::size_t index) {
  const std::string prefix = "source:" + answer + ':';
  std::optional<element_source> found;
  std::size_t nearest = 0;
  const std::vector<const trace::mark*> marks = marks_of(run, prefix);
  for (const trace::mark* const mark : marks) {
    std::string_view rest = std::string_view(mark->name).substr(prefix.size());
    std::size_t first = 0;
    std::size_t offset = 0;
    if (!read_number(rest, first) || rest.empty() || first > index || (found && first <= nearest)) continue;
    rest.remove_prefix(1);
    if (!read_number(rest, offset) || rest.empty()) continue;
    nearest = first;
    found = element_source{.memory = std::string(rest.substr(1)),
                           .byte = (offset + index - first) * sizeof(float),
                           .taken = mark};
  }
  if (!found || !found->memory.empty()) return found;
  if (const trace::access* const read = read_behind(run, marks, *found->taken)) {
    found->allocation = read->allocation;
    found->byte += read->bytes.bounds().begin;
  }
  return found;
}

}  // namespace matchers
