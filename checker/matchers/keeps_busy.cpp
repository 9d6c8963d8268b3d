#include "matchers/keeps_busy.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

using ids = std::vector<trace::operation_id>;

/// The operation that the device waited for during the pause: back along the stream to one that waited for
/// something else than the operation before it.
trace::operation_id held_up_by(const trace::recording& seen, trace::operation_id next,
                               trace::nanoseconds since) {
  for (;;) {
    const trace::operation& operation = seen.operation_at(next);
    if (!operation.waited_for || operation.waited_for->empty()) return next;
    const trace::constraint& deciding = operation.waited_for->front();
    if (deciding.kind != trace::constraint_kind::stream_order || deciding.operation == 0) return next;
    if (seen.operation_at(deciding.operation).start <= since) return next;
    next = deciding.operation;
  }
}

/// "1.05 ms in host_work (drive.cpp:34)": the call of the issuing thread that filled most of the pause; ""
/// when none did.
std::string what_the_host_did(const trace::recording& seen, const trace::operation& late, interval pause) {
  const trace::host_call& issued_by = seen.call_at(late.issued_by);
  const trace::host_call* longest = nullptr;
  trace::nanoseconds length{0};
  for (const trace::host_call& each : seen.calls) {
    if (each.thread != issued_by.thread || each.id >= issued_by.id) continue;
    const trace::nanoseconds inside = std::min(each.end, pause.second) - std::max(each.start, pause.first);
    if (inside <= length) continue;
    length = inside;
    longest = &each;
  }
  if (longest == nullptr) return "";
  return fmt::format("{} in {}", report::duration_words(length), in_words(seen, *longest));
}

std::string reason_for_pause(const analysis::part& part, const trace::operation& late, interval pause) {
  const bool is_known = late.waited_for && !late.waited_for->empty();
  if (!is_known || late.waited_for->front().kind != trace::constraint_kind::host_issue ||
      late.issued_by == 0) {
    return reason_to_wait(part, late);
  }
  const std::string did = what_the_host_did(*part.seen, late, pause);
  if (did.empty()) return "The host had not issued it before.";
  return fmt::format("The host had not issued it before: of the pause, its thread spent {}.", did);
}

}  // namespace

keeps_busy_matcher::keeps_busy_matcher(operation_set what, double fraction)
    : what_(std::move(what)), fraction_(fraction) {}

bool keeps_busy_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const ids operations = members(part, what_);
  report::evidence why;
  if (operations.empty()) {
    why.seen = fmt::format("There were no {} at all.", what_.words);
  } else {
    const std::vector<interval> busy = united(running_times(seen, operations));
    const trace::nanoseconds span = busy.back().second - busy.front().first;
    const double fraction =
        span.count() == 0 ? 1.0
                          : static_cast<double>(length(busy).count()) / static_cast<double>(span.count());
    file_at_least(fraction, fraction_);
    if (fraction >= fraction_) {
      file_note(fmt::format("{:.2f}, required {:.2f}", fraction, fraction_));
      return true;
    }
    const interval pause = *longest_pause(busy);  // there is one, since they are busy for less than the span
    const trace::operation& next = seen.operation_at(first_starting_at(seen, operations, pause.second));
    why.seen = fmt::format(
        "They were running for {} of the {} between the first and the last ({}). The longest pause, {}, is "
        "before {}, "
        "which starts at {}.",
        report::duration_words(length(busy)), report::duration_words(span), percent(fraction),
        report::duration_words(pause.second - pause.first), in_words(seen, next),
        report::duration_words(next.start - part.begin));
    const trace::operation& cause = seen.operation_at(held_up_by(seen, next.id, pause.first));
    if (cause.id != next.id) {
      why.seen += fmt::format(" Before it in its stream, {} started at {}.", in_words(seen, cause),
                              report::duration_words(cause.start - part.begin));
    }
    if (const std::string reason = reason_for_pause(part, cause, pause); !reason.empty())
      why.seen += ' ' + reason;
    why.where = place_of(seen, cause);
  }
  why.required = fmt::format("From the first to the last, {} run for at least {} of the time.", what_.words,
                             percent(fraction_));
  why.read_next =
      "What does the host do during the pause? The picture of your run shows it. Whatever it does there has "
      "to be "
      "done earlier, or by another thread.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::too_slow, why});
  return false;
}

void keeps_busy_matcher::DescribeTo(std::ostream* out) const {
  *out << what_.words << " run for at least " << percent(fraction_) << " of the time";
}

void keeps_busy_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << what_.words << " run for less than " << percent(fraction_) << " of the time";
}

}  // namespace matchers
