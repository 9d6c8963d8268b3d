#include "matchers/host_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "matchers/intervals.h"
#include "matchers/waiting_calls.h"
#include "matchers/words.h"

namespace matchers {

namespace {

using report::run_verdict;

std::vector<trace::call_id> working_calls(const run_facts& run) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : run.part().calls) {
    if (trace::effect_of(run.recording().call_at(id)) == trace::call_effect::works_on_host)
      found.push_back(id);
  }
  return found;
}

/// How long the host worked, and how much of that beside operations of a set.
struct host_work_facts {
  std::vector<trace::call_id> calls;
  trace::nanoseconds begin{0};
  trace::nanoseconds worked{0};
  trace::nanoseconds beside{0};
  double fraction() const {
    return static_cast<double>(beside.count()) / static_cast<double>(worked.count());
  }
};

host_work_facts work_beside(const run_facts& run, const operation_set& set) {
  host_work_facts facts{.calls = working_calls(run)};
  const std::vector<interval> host = united(times_of_calls(run.recording(), facts.calls));
  if (!host.empty()) facts.begin = host.front().first;
  facts.worked = length(host);
  facts.beside = length(common(host, united(running_times(run.recording(), members(run.part(), set)))));
  return facts;
}

verdict enough_work(double fraction, double required) {
  return passed(fmt::format("{:.2f}, required {:.2f}", fraction, required), at_least(fraction, required));
}

// The longest wait between two pieces of work of the host is most often what kept it from working earlier.
const trace::host_call* longest_wait_before(const run_facts& run, trace::call_id last_work) {
  const trace::host_call* longest = nullptr;
  for (trace::call_id id : waiting_calls(run.part())) {
    const trace::host_call& call = run.recording().call_at(id);
    if (id < last_work && (longest == nullptr || call.end - call.start > longest->end - longest->start)) {
      longest = &call;
    }
  }
  return longest;
}

verdict judge_work_beside(const run_facts& run, const operation_set& set, std::optional<std::size_t> times,
                          double required) {
  report::evidence why;
  why.required = fmt::format("The host task runs while {} run, for at least {} of its length.", set.words,
                             percent(required));
  why.read_next = "The host lane in the picture of your run: which call kept the CPU while the copy ran?";
  const host_work_facts facts = work_beside(run, set);
  if (facts.worked.count() == 0) {
    why.observation = "The host task never ran.";
    return failed(run_verdict::requirement_missed, why);
  }
  if (times && facts.calls.size() != *times) {
    why.observation = fmt::format("The host task ran {} times instead of {}.", facts.calls.size(), *times);
    return failed(run_verdict::requirement_missed, why);
  }
  if (facts.fraction() >= required) return enough_work(facts.fraction(), required);
  why.observation = fmt::format("The host worked for {}; {} were running during {} of that ({}).",
                                duration_words(facts.worked), set.words, duration_words(facts.beside),
                                percent(facts.fraction()));
  if (const trace::host_call* wait = longest_wait_before(run, facts.calls.back())) {
    why.observation += fmt::format(" Its longest wait before that was in {}, for {}.",
                                   in_words(run.recording(), *wait), duration_words(wait->end - wait->start));
    why.where = run.recording().describe(wait->where);
  }
  return failed(run_verdict::requirement_missed, why, at_least(facts.fraction(), required));
}

// The wait that stands before the first work of the host is most often what emptied the GPU.
std::string place_of_wait_before(const run_facts& run, trace::call_id work) {
  std::string place;
  for (trace::call_id id : waiting_calls(run.part())) {
    if (id < work) place = run.recording().describe(run.recording().call_at(id).where);
  }
  return place;
}

verdict judge_work_while_busy(const run_facts& run, double required) {
  report::evidence why;
  why.required = fmt::format("The host task runs while the GPU is busy, for at least {} of its length.",
                             percent(required));
  why.read_next =
      "Where in your function is the GPU busy and the host free? The picture of your run shows both.";
  const host_work_facts facts = work_beside(run, device_work());
  if (facts.worked.count() == 0) {
    why.observation = "The host task never ran.";
    return failed(run_verdict::requirement_missed, why);
  }
  if (facts.fraction() >= required) return enough_work(facts.fraction(), required);
  why.observation = fmt::format("The host worked for {}, from {}; the GPU was busy during {} of that ({}).",
                                duration_words(facts.worked), duration_words(facts.begin - run.part().begin),
                                duration_words(facts.beside), percent(facts.fraction()));
  why.where = place_of_wait_before(run, facts.calls.front());
  return failed(run_verdict::requirement_missed, why, at_least(facts.fraction(), required));
}

std::vector<trace::call_id> issuing_calls(const run_facts& run) {
  std::vector<trace::call_id> calls;
  for (trace::operation_id id : members(run.part(), device_work())) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (operation.issued_by != 0) calls.push_back(operation.issued_by);
  }
  return calls;
}

std::string waits_in_words(std::size_t count) {
  if (count == 0) return "no wait";
  return count == 1 ? "1 wait" : fmt::format("{} waits", count);
}

verdict judge_early_waits(const run_facts& run) {
  report::evidence why;
  why.required = "The host queues all copies and kernels first and waits only after that.";
  why.read_next =
      "The list of calls in the README of the lesson: which of them return at once, and which wait.";
  const std::vector<trace::call_id> issuing = issuing_calls(run);
  if (issuing.empty()) {
    why.observation = "Nothing was queued at all.";
    return failed(run_verdict::requirement_missed, why);
  }
  std::vector<trace::call_id> early = waiting_calls(run.part());
  // The last copy may itself be the wait: it is too early only if something is queued after it.
  std::erase_if(early, [&](trace::call_id id) { return id >= issuing.back(); });
  const report::measurement measured{waits_in_words(early.size()), waits_in_words(0)};
  if (early.empty()) {
    return passed(fmt::format("{} operations queued before the first wait", issuing.size()), measured);
  }
  const trace::host_call& first = run.recording().call_at(early.front());
  const auto later = std::count_if(issuing.begin(), issuing.end(), [&](auto id) { return id > first.id; });
  why.observation = fmt::format(
      "The host waited {} before everything was queued. The first time was in {}, for {}; {} of the {} copies "
      "and kernels were queued only after that.",
      early.size() == 1 ? "once" : fmt::format("{} times", early.size()), in_words(run.recording(), first),
      duration_words(first.end - first.start), later, issuing.size());
  why.where = run.recording().describe(first.where);
  return failed(run_verdict::requirement_missed, why, measured);
}

}  // namespace

HostWorksWhile::HostWorksWhile(operation_set operations) : operations_(std::move(operations)) {}

HostWorksWhile HostWorksWhile::in_calls(std::size_t count) const {
  HostWorksWhile copy = *this;
  copy.calls_ = count;
  return copy;
}

matcher HostWorksWhile::at_least(double fraction) const {
  return {fmt::format("the host works while {} run, for at least {}", operations_.words, percent(fraction)),
          [set = operations_, times = calls_, fraction](const run_facts& run) {
            return judge_work_beside(run, set, times, fraction);
          }};
}

matcher HostWorksWhileDeviceIsBusy::at_least(double fraction) const {
  return {fmt::format("the host works while the device is busy, for at least {}", percent(fraction)),
          [fraction](const run_facts& run) { return judge_work_while_busy(run, fraction); }};
}

matcher QueuesAllWorkBeforeWaiting() {
  return {"the host queues all copies and kernels before it waits", judge_early_waits};
}

}  // namespace matchers
