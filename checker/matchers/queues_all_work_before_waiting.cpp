#include "matchers/queues_all_work_before_waiting.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "matchers/findings.h"
#include "matchers/waiting_calls.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

bool moves_or_computes(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::kernel || operation.kind == trace::operation_kind::copy ||
         operation.kind == trace::operation_kind::memset;
}

std::vector<trace::call_id> issuing_calls(const analysis::part& part) {
  std::vector<trace::call_id> calls;
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.seen->operation_at(id);
    if (moves_or_computes(operation) && operation.issued_by != 0) calls.push_back(operation.issued_by);
  }
  return calls;
}

std::string waits_in_words(std::size_t count) {
  if (count == 0) return "no wait";
  return count == 1 ? "1 wait" : fmt::format("{} waits", count);
}

}  // namespace

bool QueuesAllWorkBeforeWaiting::MatchAndExplain(const analysis::part& part,
                                                 std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const std::vector<trace::call_id> issuing = issuing_calls(part);
  report::evidence why;
  why.required = "The host queues all copies and kernels first and waits only after that.";
  why.read_next =
      "The list of calls in the README of the lesson: which of them return at once, and which wait.";
  if (issuing.empty()) {
    why.seen = "Nothing was queued at all.";
  } else {
    const trace::call_id last = issuing.back();
    std::vector<trace::call_id> too_early = waiting_calls(part);
    // The last copy may itself be the wait: it is too early only if something is queued after it.
    too_early.erase(std::remove_if(too_early.begin(), too_early.end(), [&](auto id) { return id >= last; }),
                    too_early.end());
    file_measurement({waits_in_words(too_early.size()), waits_in_words(0)});
    if (too_early.empty()) {
      file_note(fmt::format("{} operations queued before the first wait", issuing.size()));
      return true;
    }
    const trace::host_call& first = seen.call_at(too_early.front());
    const auto later = std::count_if(issuing.begin(), issuing.end(), [&](auto id) { return id > first.id; });
    why.seen = fmt::format(
        "The host waited {} before everything was queued. The first time was in {}, for {}; {} of "
        "the {} copies and kernels were queued only after that.",
        too_early.size() == 1 ? "once" : fmt::format("{} times", too_early.size()), in_words(seen, first),
        report::duration_words(first.end - first.start), later, issuing.size());
    why.where = seen.describe(first.where);
  }
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void QueuesAllWorkBeforeWaiting::DescribeTo(std::ostream* out) const {
  *out << "the host queues all copies and kernels before it waits";
}

void QueuesAllWorkBeforeWaiting::DescribeNegationTo(std::ostream* out) const {
  *out << "the host waits before all copies and kernels are queued";
}

}  // namespace matchers
