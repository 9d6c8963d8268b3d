#include "matchers/queues_chunks.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/stages.h"
#include "matchers/words.h"

namespace matchers {

namespace {

using ids = std::vector<trace::operation_id>;

const char* words_of(issue_order order) {
  return order == issue_order::depth_first ? "chunk by chunk (depth first)" : "step by step (breadth first)";
}

// The first operation of an earlier stage that was queued after one of a later stage: what breaks the order
// by steps. 0: none does.
trace::operation_id first_step_back(const analysis::part& part) {
  stage reached = stage::copy_to_device;
  for (trace::operation_id id : staged_operations(part)) {
    const stage here = *stage_of(part.seen->operation_at(id));
    if (here < reached) return id;
    reached = here;
  }
  return 0;
}

// The chunk-by-chunk order is missed when everything goes in before anything comes back.
trace::operation_id first_copy_back_after_all_inputs(const analysis::part& part) {
  const ids inputs = operations_of(part, stage::copy_to_device);
  const ids outputs = operations_of(part, stage::copy_to_host);
  if (inputs.empty() || outputs.empty() || outputs.front() < inputs.back()) return 0;
  return outputs.front();
}

}  // namespace

bool QueuesChunks::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const ids launches = operations_of(part, stage::kernel);
  report::evidence why;
  if (launches.size() < 2) {
    why.seen = launches.empty() ? "No kernel was queued."
                                : "Only one kernel was queued: with one chunk there is no order to choose.";
    if (!launches.empty()) why.where = place_of(seen, seen.operation_at(launches.front()));
  } else {
    const trace::operation_id wrong =
        order_ == issue_order::breadth_first ? first_step_back(part) : first_copy_back_after_all_inputs(part);
    if (wrong == 0) {
      file_note(fmt::format("{} kernels, {}", launches.size(), words_of(order_)));
      return true;
    }
    const trace::operation& operation = seen.operation_at(wrong);
    why.seen =
        order_ == issue_order::breadth_first
            ? fmt::format("{} was queued after work of a later step.", in_words(seen, operation))
            : fmt::format("{} is the first copy back, and all copies to the device were queued before it.",
                          in_words(seen, operation));
    why.seen[0] = 'T';  // "the copy ..." begins the sentence
    why.where = place_of(seen, operation);
  }
  why.required = fmt::format("A plan that says so is queued {}.", words_of(order_));
  why.read_next = "The two orders in the section \"The idea\" of the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void QueuesChunks::DescribeTo(std::ostream* out) const { *out << "queues its chunks " << words_of(order_); }

void QueuesChunks::DescribeNegationTo(std::ostream* out) const {
  *out << "does not queue its chunks " << words_of(order_);
}

}  // namespace matchers
