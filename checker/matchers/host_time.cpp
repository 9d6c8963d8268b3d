#include "matchers/host_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "matchers/facts/words.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

/// How long that call keeps the host; 0 when it waits for the device or works.
trace::nanoseconds time_of(const trace::recording& recording, const trace::host_call& call) {
  if (trace::effect_of(call) == trace::call_effect::works_on_host || trace::host_waits_in(recording, call))
    return {};
  return call.end - call.start;
}

enum class counted { all_calls, memory_calls };

bool is_counted(const trace::host_call& call, counted which) {
  const trace::call_effect effect = trace::effect_of(call);
  return which == counted::all_calls || effect == trace::call_effect::allocates ||
         effect == trace::call_effect::frees;
}

trace::nanoseconds time_of_calls(const run_facts& run, counted which) {
  trace::nanoseconds time{0};
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (is_counted(call, which)) time += time_of(run.recording(), call);
  }
  return time;
}

/// The calls of one line.
struct line_time {
  trace::nanoseconds time{0};
  std::size_t calls = 0;
  const trace::host_call* example =
      nullptr;  ///< the first of those with the callers from which most of the time came
  std::map<std::uint32_t, std::pair<trace::nanoseconds, const trace::host_call*>> by_callers{};
};

/// The line whose calls took the longest; without a call when there are none.
line_time costliest_line(const run_facts& run, counted which) {
  std::map<std::string, line_time> lines;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (!is_counted(call, which)) continue;
    line_time& line = lines[run.recording().describe(call.where)];
    line.time += time_of(run.recording(), call);
    ++line.calls;
    auto& [time, first] =
        line.by_callers.try_emplace(call.where.callers, trace::nanoseconds(0), &call).first->second;
    time += time_of(run.recording(), call);
  }
  line_time costliest;
  for (const auto& [place, line] : lines) {
    if (line.time > costliest.time) costliest = line;
  }
  trace::nanoseconds max_time{0};
  for (const auto& [callers, part] : costliest.by_callers) {
    if (part.first <= max_time) continue;
    max_time = part.first;
    costliest.example = part.second;
  }
  return costliest;
}

/// After how many launches a graph has saved what came before its first launch, when each launch stands for an equal share of
/// `otherwise`, less what calls beside the graph queue; "" without a graph, or where a launch saves nothing.
std::string break_even(const run_facts& run, trace::nanoseconds otherwise) {
  trace::nanoseconds before{0};
  trace::nanoseconds others{0};
  std::int64_t launches = 0;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) == trace::call_effect::launches_graph) ++launches;
    const bool makes_graph = launches == 0 && call.operation == 0;
    (makes_graph ? before : others) += time_of(run.recording(), call);
  }
  if (launches == 0 || before.count() == 0) return "";
  const double saved = static_cast<double>((otherwise - others).count()) / static_cast<double>(launches);
  if (saved <= 0) return "";
  const auto needed = static_cast<std::int64_t>(std::ceil(static_cast<double>(before.count()) / saved));
  return fmt::format("; the graph took {} to make and saves {} a launch: it pays from launch {} on",
                     duration_words(before), duration_words(trace::nanoseconds(std::llround(saved))), needed);
}

/// Adds the call that takes from a pool what it keeps, so that the next allocation asks the device again.
void tell_of_trimmed_pools(const run_facts& run, report::evidence& why) {
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) != trace::call_effect::trims_pool || call.error_code != 0) continue;
    const std::string line = run.recording().describe(call.where);
    why.observation += fmt::format(
        " {} gives to the device what a pool keeps: what is allocated next is taken from there again.",
        report::capitalized(in_words(run.recording(), call)));
    report::lead_first_to(why, line);
    return;
  }
}

verdict judge_host_time(const run_facts& run, double allowed, trace::nanoseconds otherwise,
                        const std::string& otherwise_in_words, counted which) {
  const trace::nanoseconds time = time_of_calls(run, which);
  const double ratio = static_cast<double>(time.count()) / static_cast<double>(otherwise.count());
  const report::measurement measured = at_most(ratio, allowed);
  if (ratio <= allowed) {
    if (const std::string failures = failures_in_words(run); !failures.empty())
      return not_observable("Calls that fail do nothing, so their time tells nothing: " + failures);
    return passed(fmt::format("{:.2f} times the time {}, allowed {:.2f}{}", ratio, otherwise_in_words,
                              allowed, break_even(run, otherwise)),
                  measured);
  }
  report::evidence why;
  why.required = fmt::format("The host spends at most {:.2f} times as long in calls{} as {}, which is {}.",
                             allowed, which == counted::all_calls ? "" : " that allocate or free memory",
                             otherwise_in_words, duration_words(otherwise));
  const auto calls = std::count_if(run.part().calls.begin(), run.part().calls.end(), [&](trace::call_id id) {
    return is_counted(run.recording().call_at(id), which);
  });
  why.observation = fmt::format("It spent {} in {} calls, {:.2f} times as long; waits are not counted.",
                                duration_words(time), calls, ratio);
  if (const line_time line = costliest_line(run, which); line.example != nullptr) {
    why.observation +=
        fmt::format(" Most of it, {}, went into {} {} of {}.", duration_words(line.time), line.calls,
                    line.calls == 1 ? "call" : "calls", in_words(run.recording(), *line.example));
    lead_to(why, run.recording(), line.example->where);
  }
  if (which == counted::memory_calls) tell_of_trimmed_pools(run, why);
  why.read_next =
      "The section \"The idea\" in the lesson's text: what has to be done once, and what in each round.";
  return failed(run_verdict::too_slow, mistake::costly_calls, why, measured);
}

}  // namespace

trace::nanoseconds host_time_in_calls(const run_facts& run) { return time_of_calls(run, counted::all_calls); }

matcher HostTimeInCalls::at_most(double times, trace::nanoseconds otherwise,
                                 std::string otherwise_in_words) const {
  return {fmt::format("the host spends at most {} times as long in calls", times),
          [times, otherwise, words = std::move(otherwise_in_words),
           which = counts_all_ ? counted::all_calls : counted::memory_calls](const run_facts& run) {
            return judge_host_time(run, times, otherwise, words, which);
          }};
}

}  // namespace matchers
