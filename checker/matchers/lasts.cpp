#include "matchers/lasts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

std::uint64_t blocks_of(const trace::operation& kernel) {
  return std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
}

std::string blocks_in_words(const trace::operation& kernel) {
  const std::uint64_t blocks = blocks_of(kernel);
  return blocks == 1 ? "1 block" : fmt::format("{} blocks", blocks);
}

trace::operation_id smallest_grid(const trace::recording& seen,
                                  const std::vector<trace::operation_id>& operations) {
  return *std::min_element(operations.begin(), operations.end(), [&](auto left, auto right) {
    return blocks_of(seen.operation_at(left)) < blocks_of(seen.operation_at(right));
  });
}

}  // namespace

lasts_matcher::lasts_matcher(operation_set what, double times, trace::nanoseconds alone)
    : what_(std::move(what)), times_(times), alone_(alone) {}

bool lasts_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const std::vector<trace::operation_id> operations = members(part, what_);
  report::evidence why;
  if (operations.empty()) {
    why.seen = fmt::format("There were no {} at all.", what_.words);
  } else {
    const std::vector<interval> busy = united(running_times(seen, operations));
    const trace::nanoseconds span = busy.back().second - busy.front().first;
    const double ratio = static_cast<double>(span.count()) / static_cast<double>(alone_.count());
    file_compared_with_calibration();
    file_at_most(ratio, times_);
    if (ratio <= times_) {
      file_note(fmt::format("{:.2f} times as long as alone, allowed {:.2f}", ratio, times_));
      return true;
    }
    why.seen =
        fmt::format("From the start of the first to the end of the last it took {}, {:.2f} times as long.",
                    report::duration_words(span), ratio);
    trace::operation_id culprit = operations.front();
    const trace::nanoseconds too_long = span - alone_;
    const std::optional<interval> pause = longest_pause(busy);
    if (2 * (span - length(busy)) < too_long) {
      why.seen += fmt::format(" No pause explains that: {} were running for {}.", what_.words,
                              report::duration_words(length(busy)));
      culprit = smallest_grid(seen, operations);
      const trace::operation& smallest = seen.operation_at(culprit);
      if (blocks_of(smallest) != 0) {
        why.seen +=
            fmt::format(" A launch of fewer blocks than the GPU has room for leaves room empty; {} has {}.",
                        in_words(seen, smallest), blocks_in_words(smallest));
        why.read_next = "How many blocks the GPU has room for at once, and how many each launch has.";
      }
    } else if (pause) {
      culprit = first_starting_at(seen, operations, pause->second);
      const trace::operation& next = seen.operation_at(culprit);
      why.seen += fmt::format(" The longest pause, {}, is before {}, which starts at {}.",
                              report::duration_words(pause->second - pause->first), in_words(seen, next),
                              report::duration_words(next.start - part.begin));
      if (const std::string reason = reason_to_wait(part, next); !reason.empty()) why.seen += ' ' + reason;
    }
    why.where = place_of(seen, seen.operation_at(culprit));
  }
  why.required =
      fmt::format("The {} take at most {:.2f} times as long as with nothing beside them, which is {}.",
                  what_.words, times_, report::duration_words(alone_));
  if (why.read_next.empty())
    why.read_next = "The picture of your run: the lane of the kernels must not have holes.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::too_slow, why});
  return false;
}

void lasts_matcher::DescribeTo(std::ostream* out) const {
  *out << what_.words << " take at most " << times_ << " times as long as alone";
}

void lasts_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << what_.words << " take more than " << times_ << " times as long as alone";
}

}  // namespace matchers
