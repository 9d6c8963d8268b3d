#include "matchers/pins_at_most.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "matchers/findings.h"
#include "matchers/pinned_in.h"
#include "matchers/words.h"

namespace matchers {

namespace {

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// What is pinned when that call has returned: later calls have pinned nothing yet, earlier ones released.
std::size_t pinned_after(const std::vector<trace::allocation>& pinned, trace::call_id call) {
  std::size_t sum = 0;
  for (const trace::allocation& each : pinned) {
    const bool is_released = each.freed_by != 0 && each.freed_by <= call;
    if (each.allocated_by <= call && !is_released) sum += each.bytes;
  }
  return sum;
}

}  // namespace

bool PinsAtMost::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<trace::allocation> pinned = pinned_in(part);
  std::size_t most = 0;
  for (const trace::allocation& each : pinned) most = std::max(most, pinned_after(pinned, each.allocated_by));
  file_measurement({megabytes(most), "at most " + megabytes(bytes_)});
  const auto beyond = std::find_if(pinned.begin(), pinned.end(), [&](const trace::allocation& each) {
    return pinned_after(pinned, each.allocated_by) > bytes_;
  });
  if (beyond == pinned.end()) {
    file_note(fmt::format("{} at most, of {}", megabytes(most), megabytes(bytes_)));
    return true;
  }
  const trace::host_call& call = part.seen->call_at(beyond->allocated_by);
  report::evidence why;
  why.required = fmt::format("Your function pins at most {} at a time.", megabytes(bytes_));
  why.seen = fmt::format("{} brought it to {}.", in_words(*part.seen, call),
                         megabytes(pinned_after(pinned, beyond->allocated_by)));
  why.where = part.seen->describe(call.where);
  why.read_next =
      "The section \"The idea\" in the README of the lesson: one buffer can serve all pieces in turn.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void PinsAtMost::DescribeTo(std::ostream* out) const {
  *out << "at most " << megabytes(bytes_) << " are pinned at a time";
}

void PinsAtMost::DescribeNegationTo(std::ostream* out) const {
  *out << "more than " << megabytes(bytes_) << " are pinned at some time";
}

}  // namespace matchers
