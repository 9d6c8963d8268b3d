#include "matchers/host_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/words.h"
#include "report/wording/place_text.h"
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

/// What the graphs of a part were made with.
struct capture_use {
  std::size_t captures = 0;
  std::size_t launches = 0;
  std::size_t updates = 0;
  trace::nanoseconds time{0};                ///< of the calls from the begin of a capture to its end
  const trace::host_call* begin = nullptr;   ///< of the last capture
  const trace::host_call* update = nullptr;  ///< the last
};

capture_use captures_of(const run_facts& run) {
  using enum trace::call_effect;
  capture_use use;
  bool is_capturing = false;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (call.error_code != 0) continue;
    const trace::call_effect effect = trace::effect_of(call);
    if (effect == begins_capture) {
      is_capturing = true;
      use.begin = &call;
      ++use.captures;
    }
    if (is_capturing) use.time += time_of(run.recording(), call);
    if (effect == creates_graph) is_capturing = false;
    use.launches += effect == launches_graph ? 1 : 0;
    if (effect == updates_instantiated_graph) {
      use.update = &call;
      ++use.updates;
    }
  }
  return use;
}

/// Of a part that spent most of that time to capture for each launch: says so, and leads to the line that captures. False for others.
bool tell_of_captures(const run_facts& run, trace::nanoseconds time, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const capture_use use = captures_of(run);
  if (use.captures < 2 || use.captures < use.launches || 2 * use.time <= time) return false;
  why.observation +=
      fmt::format(" Most of it, {}, went into {} captures, for {} {} of a graph", duration_words(use.time),
                  use.captures, use.launches, use.launches == 1 ? "launch" : "launches");
  if (use.update != nullptr) {
    why.observation += fmt::format("; {} was called {} {}", in_words(recording, *use.update), use.updates,
                                   use.updates == 1 ? "time" : "times");
  }
  why.observation += ". Capture again only where the work is another than that of the launch before.";
  const std::vector<std::string> callers = report::callers_of(recording, use.begin->where);
  lead_to(why, recording, use.begin->where);
  name_condition_before(run.source(), why, callers);
  if (!callers.empty()) report::lead_first_to(why, callers.back());
  return true;
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
  const line_time line = costliest_line(run, which);
  const bool is_of_captures = which == counted::all_calls && tell_of_captures(run, time, why);
  if (!is_of_captures && line.example != nullptr) {
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
