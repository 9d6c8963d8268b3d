#include "matchers/runs_at_priority.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "matchers/findings.h"
#include "matchers/words.h"
#include "report/wording/names.h"

namespace matchers {

RunsAtPriority::RunsAtPriority(operation_set what, int level) : what_(std::move(what)), level_(level) {}

bool RunsAtPriority::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const std::vector<trace::operation_id> operations = members(part, what_);
  const auto stray = std::find_if(operations.begin(), operations.end(), [&](trace::operation_id id) {
    return seen.stream_at(seen.operation_at(id).stream).priority != level_;
  });
  if (!operations.empty()) {
    const trace::operation_id telling = stray == operations.end() ? operations.front() : *stray;
    file_measurement(
        {std::to_string(seen.stream_at(seen.operation_at(telling).stream).priority), std::to_string(level_)});
  }
  report::evidence why;
  if (operations.empty()) {
    why.seen = fmt::format("There were no {} at all.", what_.words);
  } else if (stray == operations.end()) {
    file_note(fmt::format("priority {}", level_));
    return true;
  } else {
    const trace::operation& operation = seen.operation_at(*stray);
    const trace::stream& stream = seen.stream_at(operation.stream);
    why.seen =
        fmt::format("{} has priority {}.", report::capitalized(in_words(seen, operation)), stream.priority);
    if (stream.created_by != 0) {
      why.seen += fmt::format(" The stream comes from {}.", in_words(seen, seen.call_at(stream.created_by)));
    }
    why.where = place_of(seen, operation);
  }
  why.required = fmt::format("The {} are in a stream of priority {} on this device.", what_.words, level_);
  why.read_next =
      "cudaDeviceGetStreamPriorityRange in the manual: which of its two numbers is the urgent one, and what "
      "a "
      "number outside the range becomes.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void RunsAtPriority::DescribeTo(std::ostream* out) const {
  *out << what_.words << " are in a stream of priority " << level_;
}

void RunsAtPriority::DescribeNegationTo(std::ostream* out) const {
  *out << "some " << what_.words << " are in a stream of another priority than " << level_;
}

}  // namespace matchers
