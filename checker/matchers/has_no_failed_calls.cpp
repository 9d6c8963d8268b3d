#include "matchers/has_no_failed_calls.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/words.h"
#include "report/wording/misuse_sentences.h"

namespace matchers {

namespace {

// These hand on an error that belongs to another call.
bool only_reports_errors(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::asks_for_error;
}

std::vector<trace::call_id> failed_calls(const analysis::part& part) {
  std::vector<trace::call_id> failed;
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.seen->call_at(id);
    if (call.error_code != 0 && call.error_code != trace::not_ready && !only_reports_errors(call))
      failed.push_back(id);
  }
  return failed;
}

}  // namespace

bool HasNoFailedCalls::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<trace::call_id> failed = failed_calls(part);
  if (failed.empty()) return true;
  const trace::host_call& first = part.seen->call_at(failed.front());
  report::evidence why;
  why.required = "No CUDA call returns an error.";
  why.seen = fmt::format("{} returned {} ({}), and the operation was not done.",
                         trace::effect_of(first) == trace::call_effect::launches_kernel ? "A kernel launch" : name_of(first), first.error_name,
                         first.error_code);
  if (const std::string reason = report::reason_of_refusal(*part.seen, first.id); !reason.empty())
    why.seen += " " + reason;
  if (failed.size() > 1) why.seen += fmt::format(" {} calls failed in all.", failed.size());
  why.where = part.seen->describe(first.where);
  why.read_next = fmt::format(
      "The page of {} in the CUDA Runtime API manual lists what it may return and why. CUDA says nothing by "
      "itself: "
      "look at what a call returns, and at cudaGetLastError() after a launch.",
      name_of(first));
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::cuda_error, why});
  return false;
}

void HasNoFailedCalls::DescribeTo(std::ostream* out) const { *out << "no CUDA call returned an error"; }

void HasNoFailedCalls::DescribeNegationTo(std::ostream* out) const {
  *out << "a CUDA call returned an error";
}

}  // namespace matchers
