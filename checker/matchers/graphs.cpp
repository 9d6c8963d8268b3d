#include "matchers/graphs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/part.h"
#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;
using trace::call_effect;

constexpr std::string_view manual =
    "\"CUDA Graphs\" in the CUDA Programming Guide, and the section \"The idea\" in the lesson's text.";

/// The calls of the part that succeeded and have that effect, in order.
std::vector<const trace::host_call*> calls_with(const run_facts& run, call_effect effect) {
  std::vector<const trace::host_call*> found;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (call.error_code == 0 && trace::effect_of(call) == effect) found.push_back(&call);
  }
  return found;
}

/// The first kernel, copy or memset that is no node of a graph; nullptr when there is none.
const trace::operation* queued_beside_graphs(const run_facts& run) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& work = recording.operation_at(id);
    if (analysis::is_device_work(work.kind) && work.graph_launch == 0) return &work;
  }
  return nullptr;
}

/// Of several instantiations the first that the next one follows before any graph is launched, or else the second one.
const trace::host_call& needless_one(const std::vector<const trace::host_call*>& instantiated,
                                     const std::vector<const trace::host_call*>& launches) {
  for (std::size_t i = 0; i + 1 < instantiated.size(); ++i) {
    const bool is_used = std::any_of(launches.begin(), launches.end(), [&](const trace::host_call* launch) {
      return launch->id > instantiated[i]->id && launch->id < instantiated[i + 1]->id;
    });
    if (!is_used) return *instantiated[i];
  }
  return *instantiated[1];
}

verdict judge_one_graph(const run_facts& run, std::size_t required_launches) {
  const trace::recording& recording = run.recording();
  const auto instantiated = calls_with(run, call_effect::instantiates_graph);
  const auto launches = calls_with(run, call_effect::launches_graph);
  const trace::operation* const beside = queued_beside_graphs(run);
  const report::measurement measured{fmt::format("{} instantiated", instantiated.size()), "1 instantiated"};
  report::evidence why;
  why.required = "One graph is instantiated, once, and every kernel and copy is queued by a launch of it.";
  why.read_next = manual;
  if (instantiated.size() > 1) {
    why.observation = fmt::format(
        "A graph was instantiated {} times, for {} launches of graphs. An executable graph can be launched "
        "as often as you like, and be updated.",
        instantiated.size(), launches.size());
    const trace::host_call& needless = needless_one(instantiated, launches);
    why.observation += fmt::format(" One too many is {}.", in_words(recording, needless));
    lead_to(why, recording, needless.where);
    return failed(run_verdict::requirement_missed, mistake::instantiated_again, why, measured);
  }
  if (beside != nullptr) {
    why.observation = fmt::format(
        "{} was queued by a call of its own{}.", report::capitalized(in_words(recording, *beside)),
        instantiated.empty() ? ", and no graph was instantiated" : ", beside the graph");
    lead_to(why, recording, *beside);
    return failed(run_verdict::requirement_missed,
                  instantiated.empty() ? mistake::no_graph : mistake::queued_beside_graph, why, measured);
  }
  if (instantiated.empty()) {
    if (const std::string failure = failure_of_call(run, call_effect::instantiates_graph); !failure.empty())
      return not_observable(fmt::format("No graph was instantiated: {}.", failure));
    why.observation = "No graph was instantiated.";
    return failed(run_verdict::requirement_missed, mistake::no_graph, why, measured);
  }
  if (launches.size() != required_launches) {
    why.required = fmt::format("The graph is launched {} times.", required_launches);
    why.observation = fmt::format("It was launched {} times.", launches.size());
    if (!launches.empty()) lead_to(why, recording, launches.back()->where);
    return failed(run_verdict::requirement_missed, mistake::launches_miscounted, why, measured);
  }
  return passed("1 instantiated", measured);
}

verdict judge_destroyed(const run_facts& run) {
  struct kind {
    call_effect makes;
    call_effect destroys;
    std::string_view words;
    std::string_view cure;
  };
  constexpr kind kinds[] = {
      {call_effect::creates_graph, call_effect::destroys_graph, "graph", "cudaGraphDestroy"},
      {call_effect::instantiates_graph, call_effect::destroys_instantiated_graph, "executable graph",
       "cudaGraphExecDestroy"},
  };
  for (const kind& one : kinds) {
    const auto made = calls_with(run, one.makes);
    const std::size_t destroyed = calls_with(run, one.destroys).size();
    if (destroyed >= made.size()) continue;
    report::evidence why;
    why.required = "Every graph and every executable graph that is made is destroyed.";
    why.observation =
        fmt::format("Made: {} {}{}; destroyed: {}. The last is from {}.", made.size(), one.words,
                    made.size() == 1 ? "" : "s", destroyed, in_words(run.recording(), *made.back()));
    lead_to(why, run.recording(), made.back()->where);
    const std::vector<std::string> callers = report::callers_of(run.recording(), made.back()->where);
    if (!callers.empty()) {
      why.observation += fmt::format(
          " The function of that line was called from {}: a {} that it returns is to be destroyed by its caller.",
          callers.front(), one.words);
      report::lead_first_to(why, callers.front());
    }
    why.read_next = fmt::format(
        "{} in the CUDA Runtime API manual: an executable graph needs its graph no longer.", one.cure);
    return failed(run_verdict::requirement_missed, mistake::graph_left_over, why);
  }
  return passed();
}

/// A node of a later stage on which the node depends, by however many edges; 0: none.
trace::operation_id later_stage_before(const trace::recording& recording, const trace::operation& node) {
  std::vector<trace::operation_id> open = node.after;
  std::set<trace::operation_id> known(open.begin(), open.end());
  while (!open.empty()) {
    const trace::operation& next = recording.operation_at(open.back());
    open.pop_back();
    if (next.graph_launch != node.graph_launch) continue;
    if (stage_of(next) > stage_of(node)) return next.id;
    for (const trace::operation_id id : next.after) {
      if (known.insert(id).second) open.push_back(id);
    }
  }
  return 0;
}

verdict judge_steps(const run_facts& run) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& node = recording.operation_at(id);
    if (node.graph_launch == 0 || !stage_of(node)) continue;
    const trace::operation_id later = later_stage_before(recording, node);
    if (later == 0) continue;
    report::evidence why;
    why.required =
        "In a round no copy to the device waits for a kernel, and no kernel for a copy to the host: pieces do not need each other.";
    why.observation = fmt::format("{} depends on {}.", report::capitalized(in_words(recording, node)),
                                  in_words(recording, recording.operation_at(later)));
    lead_to(why, recording, analysis::place_of_operation(recording, later));
    why.read_next = "The streams in which queue_round() queues, as the file comes.";
    return failed(report::run_verdict::no_overlap, report::mistake::needless_wait, why);
  }
  return passed();
}

}  // namespace

matcher LaunchesOneGraph::times(std::size_t launches) const {
  return {fmt::format("all work goes through {} launches of one graph", launches),
          [launches](const run_facts& run) { return judge_one_graph(run, launches); }, reach::every_call};
}

matcher DestroysItsGraphs() { return {"every graph is destroyed", judge_destroyed, reach::every_call}; }

matcher GivesAGraph(std::string function) {
  return {fmt::format("{}() gives a graph", function),
          [function](const run_facts& run) {
            if (run.answer().integer(function + ".graphs") == 1) return passed();
            return failed(
                run_verdict::requirement_missed, mistake::no_graph,
                {fmt::format("{}() returns a graph that can be instantiated, whoever calls it.", function),
                 "The check called it by itself, and there was none.",
                 line_of_definition(run.source(), function), "What the contract says about the function."});
          },
          reach::every_call};
}

matcher StepsWaitForNoLaterOne() {
  return {"no step of a round waits for a later one of another piece", judge_steps};
}

}  // namespace matchers
