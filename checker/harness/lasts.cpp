#include "harness/lasts.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/findings.h"
#include "harness/words.h"
#include "report/words.h"

namespace harness {

namespace {

using ids = std::vector<trace::operation_id>;

struct longest_pause {
  trace::operation_id next = 0;  // what began after it; 0: there was none
  trace::nanoseconds length{0};
};

longest_pause pause_among(const trace::recording& seen, ids operations) {
  std::sort(operations.begin(), operations.end(), [&](trace::operation_id left, trace::operation_id right) {
    return seen.operation_at(left).start < seen.operation_at(right).start;
  });
  longest_pause found;
  trace::nanoseconds busy_until = seen.operation_at(operations.front()).end;
  for (trace::operation_id id : operations) {
    const trace::operation& each = seen.operation_at(id);
    if (each.start - busy_until > found.length) found = {id, each.start - busy_until};
    busy_until = std::max(busy_until, each.end);
  }
  return found;
}

trace::nanoseconds span_of(const trace::recording& seen, const ids& operations) {
  trace::nanoseconds begin = seen.operation_at(operations.front()).start;
  trace::nanoseconds end{0};
  for (trace::operation_id id : operations) {
    begin = std::min(begin, seen.operation_at(id).start);
    end = std::max(end, seen.operation_at(id).end);
  }
  return end - begin;
}

}  // namespace

lasts_matcher::lasts_matcher(operation_set what, double times, trace::nanoseconds alone)
    : what_(std::move(what)), times_(times), alone_(alone) {}

bool lasts_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const ids operations = members(part, what_);
  report::evidence why;
  if (operations.empty()) {
    why.seen = fmt::format("There were no {} at all.", what_.words);
  } else {
    const trace::nanoseconds span = span_of(seen, operations);
    const double ratio = static_cast<double>(span.count()) / static_cast<double>(alone_.count());
    if (ratio <= times_) {
      file_note(fmt::format("{:.2f} times as long as alone, allowed {:.2f}", ratio, times_));
      return true;
    }
    why.seen =
        fmt::format("From the start of the first to the end of the last it took {}, {:.2f} times as long.",
                    report::duration_words(span), ratio);
    trace::operation_id culprit = operations.front();
    if (const longest_pause pause = pause_among(seen, operations); pause.next != 0) {
      culprit = pause.next;
      const trace::operation& next = seen.operation_at(culprit);
      why.seen += fmt::format(" The longest pause, {}, is before {}, which starts at {}.",
                              report::duration_words(pause.length), in_words(seen, next),
                              report::duration_words(next.start - part.begin));
      if (const std::string reason = reason_to_wait(part, next); !reason.empty()) why.seen += ' ' + reason;
    }
    why.where = place_of(seen, seen.operation_at(culprit));
  }
  why.required =
      fmt::format("The {} take at most {:.2f} times as long as with nothing beside them, which is {}.",
                  what_.words, times_, report::duration_words(alone_));
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

}  // namespace harness
