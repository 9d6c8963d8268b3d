#include "matchers/host_functions.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/part.h"
#include "analysis/places.h"
#include "matchers/facts/intervals.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/operation_set.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

constexpr int not_permitted = 800;  // cudaErrorNotPermitted

struct copy_back {
  trace::operation_id copy = 0;
  trace::operation_id of_later_work =
      0;  // the next copy back in its stream with a kernel in between; 0: none
};

bool is_copy_back(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::copy && operation.source && operation.destination &&
         trace::direction_of(operation) == trace::copy_direction::device_to_host;
}

std::vector<copy_back> copies_back(const run_facts& run) {
  std::map<trace::stream_id, operation_ids> by_stream;
  for (trace::operation_id id : run.part().operations) {
    by_stream[run.recording().operation_at(id).stream].push_back(id);
  }
  std::vector<copy_back> found;
  for (const auto& [stream, operations] : by_stream) {
    trace::operation_id later = 0;  // the next copy back of work that is later than the operation at hand
    trace::operation_id same = 0;   // a copy back of the work at hand
    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
      const trace::operation& operation = run.recording().operation_at(*id);
      if (operation.kind == trace::operation_kind::kernel && same != 0) {
        later = same;
        same = 0;
      }
      if (!is_copy_back(operation)) continue;
      found.push_back({*id, later});
      same = *id;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const copy_back& left, const copy_back& right) { return left.copy < right.copy; });
  return found;
}

bool is_announced(const analysis::ordering& order, const copy_back& back, const operation_ids& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](trace::operation_id function) {
    return order.is_before(back.copy, function) &&
           (back.of_later_work == 0 || !order.is_before(back.of_later_work, function));
  });
}

/// Whether a thread goes on because of one of the host functions, or could learn from the memory that it touches, which is
/// another question. True where the recording does not know.
bool tells_a_thread(const trace::recording& recording, const operation_ids& functions) {
  if (!recording.host_accesses) return true;
  const bool touches_memory = std::any_of(functions.begin(), functions.end(), [&](trace::operation_id id) {
    const auto& accesses = recording.operation_at(id).accesses;
    return accesses && !accesses->empty();
  });
  if (touches_memory) return true;
  const auto& edges = recording.host_edges;
  return std::any_of(edges.begin(), edges.end(), [&](const trace::host_edge& edge) {
    return edge.to_operation == 0 &&
           std::binary_search(functions.begin(), functions.end(), edge.from_operation);
  });
}

/// The host function that the same thread queued next behind the copy, ahead of the next copy to the host, if it is in another stream;
/// nullptr when there is none.
const trace::operation* function_elsewhere(const run_facts& run, const trace::operation& copy) {
  const trace::recording& recording = run.recording();
  const auto is_of_same_thread = [&](const trace::operation& other) {
    return other.issued_by != 0 && copy.issued_by != 0 &&
           recording.call_at(other.issued_by).thread == recording.call_at(copy.issued_by).thread;
  };
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& next = recording.operation_at(id);
    if (id <= copy.id || !is_of_same_thread(next)) continue;
    if (is_copy_back(next)) return nullptr;
    if (next.kind == trace::operation_kind::host_function)
      return next.stream == copy.stream ? nullptr : &next;
  }
  return nullptr;
}

/// The host function right ahead of the copy in its stream; nullptr when other work is, or nothing.
const trace::operation* function_ahead(const run_facts& run, const trace::operation& copy) {
  const trace::operation* last = nullptr;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& earlier = run.recording().operation_at(id);
    if (id >= copy.id) break;
    if (earlier.stream == copy.stream && !analysis::is_marker(earlier.kind)) last = &earlier;
  }
  return last != nullptr && last->kind == trace::operation_kind::host_function ? last : nullptr;
}

/// Names the first of the copies with a host function right ahead of it, and that function.
void tell_of_function_ahead(const run_facts& run, const std::vector<copy_back>& copies,
                            report::evidence& why) {
  const trace::operation* first = nullptr;
  std::size_t count = 0;
  for (const copy_back& back : copies) {
    const trace::operation& copy = run.recording().operation_at(back.copy);
    if (function_ahead(run, copy) != nullptr && count++ == 0) first = &copy;
  }
  const trace::operation& ahead = *function_ahead(run, *first);
  lead_to(why, run.recording(),
          {analysis::place_of_operation(run.recording(), ahead.id),
           analysis::place_of_operation(run.recording(), first->id)});
  why.observation = fmt::format(
      "{}{} was queued before {}{}, and so runs before it: it has to be queued behind that copy. That is so with {} of {} copies.",
      report::capitalized(in_words(run.recording(), ahead)), in_brackets(place_of(run.recording(), ahead)),
      in_words(run.recording(), *first), in_brackets(place_of(run.recording(), *first)), count,
      copies.size());
}

verdict judge_announcements(const run_facts& run) {
  report::evidence why;
  why.required =
      "Each copy to the host is followed by a host function (cudaLaunchHostFunc) that says that the result has "
      "arrived.";
  why.read_next =
      "A host function runs after what was queued before it in its stream. Where must it be queued to come "
      "after the copy?";
  const std::vector<copy_back> copies = copies_back(run);
  if (copies.empty()) {
    why.observation = "Nothing was copied to the host.";
    return failed(run_verdict::requirement_missed, mistake::nothing_queued, why);
  }
  const operation_ids functions = members(run.part(), host_functions());
  std::vector<copy_back> silent = copies;
  std::erase_if(silent, [&](const copy_back& back) { return is_announced(run.ordering(), back, functions); });
  const auto share = [&](std::size_t count) { return fmt::format("{} of {}", count, copies.size()); };
  const report::measurement measured{share(copies.size() - silent.size()), share(copies.size())};
  if (silent.empty() && !tells_a_thread(run.recording(), functions)) {
    const trace::operation& idle = run.recording().operation_at(functions.front());
    why.observation = fmt::format(
        "{} tells nobody, and no other does: no thread goes on because of it, by a lock, a condition variable or an atomic. Who "
        "consumes the batch learned in another way that it had arrived.",
        report::capitalized(in_words(run.recording(), idle)));
    lead_to(why, run.recording(), idle);
    why.read_next = "TODO 1 in the section \"The task\" of the lesson's text: what the host function does.";
    return failed(run_verdict::requirement_missed, mistake::not_announced, why, measured);
  }
  if (silent.empty()) {
    return passed(
        fmt::format("{} copies, {} host functions{}", copies.size(), functions.size(),
                    run.recording().host_accesses ? "" : "; whether they tell a thread is not recorded"),
        measured);
  }
  const trace::operation& first = run.recording().operation_at(silent.front().copy);
  why.observation = functions.empty() ? "There were no host functions at all."
                                      : fmt::format("No host function comes after {}, one of {} such copies.",
                                                    in_words(run.recording(), first), copies.size());
  lead_to(why, run.recording(), first);
  if (function_ahead(run, first) != nullptr) {
    tell_of_function_ahead(run, copies, why);
  } else if (const trace::operation* const elsewhere = function_elsewhere(run, first)) {
    const std::string place = place_of(run.recording(), *elsewhere);
    const std::string copy_place = why.where;
    why.observation = fmt::format(
        "{}{}, which was queued next behind {}{}, is in another stream and does not wait for that copy. There are {} such copies.",
        report::capitalized(in_words(run.recording(), *elsewhere)), in_brackets(place),
        in_words(run.recording(), first), in_brackets(copy_place), silent.size());
    lead_to(why, run.recording(), *elsewhere);
    if (!copy_place.empty() && copy_place != why.where)
      why.where += (why.where.empty() ? "" : ", ") + copy_place;
  }
  return failed(run_verdict::requirement_missed, mistake::not_announced, why, measured);
}

std::set<trace::call_id> calls_in_host_functions(const run_facts& run) {
  const std::vector<trace::call_id>& calls = run.part().calls;
  std::set<trace::call_id> found;
  for (trace::call_id id : calls) {
    if (run.recording().call_at(id).error_code == not_permitted) found.insert(id);
  }
  for (const trace::diagnostic& note : run.recording().diagnostics) {
    const bool is_in_part = std::binary_search(calls.begin(), calls.end(), note.call);
    if (note.kind == trace::diagnostic_kind::cuda_call_in_host_function && is_in_part)
      found.insert(note.call);
  }
  return found;
}

verdict judge_calls_inside(const run_facts& run) {
  const std::set<trace::call_id> found = calls_in_host_functions(run);
  if (found.empty()) return passed();
  const trace::host_call& first = run.recording().call_at(*found.begin());
  report::evidence why;
  why.required = "A host function calls no function of CUDA, not even one that only asks.";
  why.observation = fmt::format(
      "A host function called {}{}.",
      trace::effect_of(first) == trace::call_effect::launches_kernel ? "a kernel" : name_of(first),
      first.error_code == 0
          ? ""
          : fmt::format(", which answered {} and did nothing", trace::error_name_of(first)));
  if (found.size() > 1) why.observation += fmt::format(" There were {} such calls in all.", found.size());
  lead_to(why, run.recording(), first.where);
  why.read_next =
      "CUDA may refuse the call, or wait for ever: the driver is waiting for the host function. Let the "
      "function wake up a thread, and call CUDA there.";
  return failed(run_verdict::requirement_missed, mistake::cuda_in_host_function, why);
}

const trace::operation& longest_of(const run_facts& run, const operation_ids& operations) {
  const auto is_shorter = [&](trace::operation_id one, trace::operation_id two) {
    return length(running_times(run.recording(), {one})) < length(running_times(run.recording(), {two}));
  };
  return run.recording().operation_at(*std::max_element(operations.begin(), operations.end(), is_shorter));
}

verdict judge_lengths(const run_facts& run, double allowed) {
  report::evidence why;
  why.required = fmt::format("All host functions together take at most {} of the time in which kernels run.",
                             percent(allowed));
  why.read_next =
      "A host function holds its stream, and the functions of other streams wait for it. Let it wake up a "
      "thread that does the work.";
  const operation_ids functions = members(run.part(), host_functions());
  if (functions.empty()) {
    say_there_is_none(run, host_functions(), why);
    return failed(run_verdict::requirement_missed, mistake::no_host_function, why);
  }
  const operation_ids computing = members(run.part(), kernels());
  if (computing.empty()) {
    say_there_is_none(run, kernels(), why);
    return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
  }
  const trace::nanoseconds held = length(running_times(run.recording(), functions));
  const trace::nanoseconds computed = length(united(running_times(run.recording(), computing)));
  const double fraction = static_cast<double>(held.count()) / static_cast<double>(computed.count());
  if (fraction <= allowed) {
    return passed(fmt::format("{:.2f}, allowed {:.2f}", fraction, allowed), at_most(fraction, allowed));
  }
  const trace::operation& longest = longest_of(run, functions);
  why.observation = fmt::format(
      "They took {} while kernels ran for {} ({}). The longest, {}, took {}; nothing that was queued behind it "
      "in its stream could start.",
      duration_words(held), duration_words(computed), percent(fraction), in_words(run.recording(), longest),
      duration_words(longest.end - longest.start));
  lead_to(why, run.recording(), longest);
  const trace::location line = analysis::place_of_issue(run.recording(), longest.id);
  const std::string function = run.recording().leads_to_line(line)
                                   ? host_function_queued_at(run.source(), static_cast<int>(line.line))
                                   : "";
  const std::string definition = function.empty() ? "" : line_of_definition(run.source(), function);
  if (!definition.empty()) {
    why.observation +=
        fmt::format(" That is `{}` ({}): what it calls takes that long.", function, definition);
    why.where += ", " + definition;
  }
  return failed(run_verdict::requirement_missed, mistake::long_host_function, why,
                at_most(fraction, allowed));
}

}  // namespace

matcher AnnouncesEachCopyBack() {
  return {"a host function follows each copy to the host", judge_announcements, reach::every_call};
}

matcher CallsNoCudaInHostFunctions() {
  return {"no host function called CUDA", judge_calls_inside, reach::every_call};
}

matcher HostFunctionsAreShort::at_most(double fraction) const {
  return {fmt::format("host functions take at most {} of the time of the kernels", percent(fraction)),
          [fraction](const run_facts& run) { return judge_lengths(run, fraction); }};
}

}  // namespace matchers
