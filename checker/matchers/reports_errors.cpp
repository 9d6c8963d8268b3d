#include "matchers/reports_errors.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/part.h"
#include "matchers/findings.h"
#include "matchers/words.h"

namespace matchers {

namespace {

const trace::host_call* first_failed_call(const analysis::part& part) {
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.seen->call_at(id);
    if (call.error_code != 0 && call.error_code != trace::not_ready) return &call;
  }
  return nullptr;
}

report::evidence unreported(const trace::recording& seen, const trace::host_call& failed) {
  report::evidence why;
  why.seen = fmt::format("It returned cudaSuccess, although {} failed with {}.", in_words(seen, failed),
                         failed.error_name);
  why.where = seen.describe(failed.where);
  return why;
}

std::optional<report::evidence> problem_of(const scheduled_run& run, const std::string& part_name,
                                           std::int64_t returned, bool must_fail) {
  const analysis::part part = analysis::part_of(run.outcome.seen.value(), part_name);
  const trace::host_call* const failed = first_failed_call(part);
  report::evidence why;
  if (failed != nullptr && returned == 0) {
    why = unreported(*part.seen, *failed);
  } else if (failed == nullptr && returned != 0) {
    why.seen = fmt::format("It returned the error {}, although no call failed.", returned);
  } else if (failed == nullptr && must_fail) {
    why.seen =
        "The caller asked for a launch that cannot work, and no launch failed: the launch was not made "
        "with the sizes that were asked for.";
  } else {
    return std::nullopt;
  }
  why.required = "Your function returns the error of a launch that failed, and cudaSuccess when none did.";
  why.read_next =
      "The page of cudaGetLastError in the CUDA Runtime API manual: a launch returns nothing by itself.";
  return why;
}

}  // namespace

ReportsErrors::ReportsErrors(std::string part, std::string answer)
    : part_(std::move(part)), answer_(std::move(answer)) {}

ReportsErrors ReportsErrors::of_a_failed_call() const {
  ReportsErrors copy = *this;
  copy.must_fail_ = true;
  return copy;
}

bool ReportsErrors::MatchAndExplain(const std::vector<scheduled_run>& runs, std::ostream* explanation) const {
  for (const scheduled_run& run : runs) {
    const auto why = problem_of(run, part_, run.outcome.answer.integer(answer_), must_fail_);
    if (!why) continue;
    if (explanation) *explanation << why->seen;
    file_failure({report::run_verdict::requirement_missed, *why});
    return false;
  }
  return true;
}

void ReportsErrors::DescribeTo(std::ostream* out) const {
  *out << "the error returned in the part '" << part_ << "' is that of the call that failed";
}

void ReportsErrors::DescribeNegationTo(std::ostream* out) const {
  *out << "the error returned in the part '" << part_ << "' is not that of the call that failed";
}

}  // namespace matchers
