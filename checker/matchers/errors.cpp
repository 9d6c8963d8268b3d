#include "matchers/errors.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "matchers/words.h"
#include "report/wording/misuse_sentences.h"

namespace matchers {

namespace {

using report::run_verdict;

bool has_failed(const trace::host_call& call) {
  return call.error_code != 0 && call.error_code != trace::not_ready;
}

// These hand on an error that belongs to another call.
bool only_reports_errors(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::asks_for_error;
}

std::vector<trace::call_id> failed_calls(const run_facts& run) {
  std::vector<trace::call_id> calls = run.part().calls;
  std::erase_if(calls, [&](trace::call_id id) {
    const trace::host_call& call = run.recording().call_at(id);
    return !has_failed(call) || only_reports_errors(call);
  });
  return calls;
}

verdict judge_calls(const run_facts& run) {
  const std::vector<trace::call_id> failing = failed_calls(run);
  if (failing.empty()) return passed();
  const trace::host_call& first = run.recording().call_at(failing.front());
  report::evidence why;
  why.required = "No CUDA call returns an error.";
  why.observation = fmt::format(
      "{} returned {} ({}), and the operation was not done.",
      trace::effect_of(first) == trace::call_effect::launches_kernel ? "A kernel launch" : name_of(first),
      first.error_name, first.error_code);
  const std::string reason = report::reason_of_refusal(run.recording(), first.id);
  if (!reason.empty()) why.observation += " " + reason;
  if (failing.size() > 1) why.observation += fmt::format(" {} calls failed in all.", failing.size());
  why.where = run.recording().describe(first.where);
  why.read_next = fmt::format(
      "The page of {} in the CUDA Runtime API manual lists what it may return and why. CUDA says nothing by "
      "itself: look at what a call returns, and at cudaGetLastError() after a launch.",
      name_of(first));
  return failed(run_verdict::cuda_error, why);
}

const trace::host_call* first_failed_call(const analysis::part& part) {
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.recording->call_at(id);
    if (has_failed(call)) return &call;
  }
  return nullptr;
}

std::optional<report::evidence> problem_of(const scheduled_run& run, const std::string& part_name,
                                           std::int64_t returned, failing_call failing) {
  const trace::recording& recording = run.outcome.recording.value();
  const trace::host_call* const call = first_failed_call(analysis::part_of(recording, part_name));
  report::evidence why;
  if (call != nullptr && returned == 0) {
    why.observation = fmt::format("It returned cudaSuccess, although {} failed with {}.",
                                  in_words(recording, *call), call->error_name);
    why.where = recording.describe(call->where);
  } else if (call == nullptr && returned != 0) {
    why.observation = fmt::format("It returned the error {}, although no call failed.", returned);
  } else if (call == nullptr && failing == failing_call::required) {
    why.observation =
        "The caller asked for a launch that cannot work, and no launch failed: the launch was not made with the "
        "sizes that were asked for.";
  } else {
    return std::nullopt;
  }
  why.required = "Your function returns the error of a launch that failed, and cudaSuccess when none did.";
  why.read_next =
      "The page of cudaGetLastError in the CUDA Runtime API manual: a launch returns nothing by itself.";
  return why;
}

}  // namespace

matcher HasNoFailedCalls() { return {"no CUDA call returned an error", judge_calls}; }

matcher ReportsErrors(std::string part_name, std::string answer, failing_call failing) {
  return {"the error returned in the part '" + part_name + "' is that of the call that failed",
          [=](const run_facts& facts) {
            for (const scheduled_run& run : facts.all_runs()) {
              const auto why = problem_of(run, part_name, run.outcome.answer.integer(answer), failing);
              if (why) return failed(run_verdict::requirement_missed, *why);
            }
            return passed();
          }};
}

}  // namespace matchers
