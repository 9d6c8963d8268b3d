#include "matchers/measures_with_events.h"

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "matchers/findings.h"
#include "matchers/words.h"
#include "report/text_layout.h"
#include "report/wording/operation_names.h"

namespace matchers {

namespace {

// The timed records of the part that are next to a kernel: the last one issued before it, the first after.
struct bracket {
  const trace::operation* before = nullptr;
  const trace::operation* after = nullptr;
};

bracket timed_records_around(const analysis::part& part, const trace::operation& kernel) {
  bracket found;
  for (trace::operation_id id : part.operations) {
    const trace::operation& each = part.seen->operation_at(id);
    const bool is_timed = each.kind == trace::operation_kind::event_record && each.event != 0 &&
                          part.seen->event_at(each.event).has_timing;
    if (!is_timed) continue;
    if (id < kernel.id) found.before = &each;
    if (id > kernel.id && found.after == nullptr) found.after = &each;
  }
  return found;
}

std::string call_that_was_too_early(const analysis::part& part) {
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.seen->call_at(id);
    if (trace::effect_of(call) == trace::call_effect::measures_time && call.error_code == trace::not_ready) {
      return part.seen->describe(call.where);
    }
  }
  return "";
}

// What is wrong with the way of measuring; `seen` stays empty when nothing is.
report::evidence flaw_of_the_method(const analysis::part& part, const trace::operation& first,
                                    const trace::operation& measured) {
  const trace::recording& seen = *part.seen;
  const auto [before, after] = timed_records_around(part, measured);
  report::evidence why;
  if (before == nullptr || after == nullptr) {
    why.seen = fmt::format("No event with timing was recorded {} {}.", before == nullptr ? "before" : "after",
                           in_words(seen, measured));
    why.where = place_of(seen, measured);
  } else if (before->stream != measured.stream || after->stream != measured.stream) {
    const trace::operation& stray = before->stream != measured.stream ? *before : *after;
    why.seen =
        fmt::format("The event {} the kernel was recorded elsewhere: {} belongs to other work than {}.",
                    &stray == before ? "before" : "after", in_words(seen, stray), in_words(seen, measured));
    why.where = place_of(seen, stray);
  } else if (before->id < first.id) {
    why.seen = fmt::format(
        "The first launch of all is inside the measured time: {} starts it. The first launch of a kernel "
        "loads "
        "its code, on an H200 for about 0.15 ms.",
        in_words(seen, *before));
    why.where = place_of(seen, *before);
  } else if (const std::string place = call_that_was_too_early(part); !place.empty()) {
    why.seen =
        "cudaEventElapsedTime returned cudaErrorNotReady: the second event had not happened yet, so there "
        "was "
        "no time to return.";
    why.where = place;
  }
  return why;
}

}  // namespace

measures_with_events_matcher::measures_with_events_matcher(operation_set what, double milliseconds,
                                                           double tolerance)
    : what_(std::move(what)), milliseconds_(milliseconds), tolerance_(tolerance) {}

bool measures_with_events_matcher::has_the_right_value(const trace::recording& seen,
                                                       const trace::operation& kernel,
                                                       report::evidence& why) const {
  const double actual = std::chrono::duration<double, std::milli>(kernel.end - kernel.start).count();
  const double off = std::abs(milliseconds_ - actual) / actual;
  file_measurement({fmt::format("{:.0f} % off", std::ceil(off * 100 - 1e-9)),
                    fmt::format("at most {} off", percent(tolerance_))});
  if (off <= tolerance_) {
    file_note(fmt::format("{:.3f} ms, the kernel took {:.3f} ms", milliseconds_, actual));
    return true;
  }
  why.seen = fmt::format("Your function returned {:.3f} ms, but the kernel {} took {:.3f} ms.", milliseconds_,
                         report::name_of(seen, kernel), actual);
  return false;
}

bool measures_with_events_matcher::MatchAndExplain(const analysis::part& part,
                                                   std::ostream* explanation) const {
  const std::vector<trace::operation_id> kernels = members(part, what_);
  report::evidence why;
  if (kernels.empty()) {
    why.seen = fmt::format("There were no {} at all.", what_.words);
  } else {
    const trace::operation& measured = part.seen->operation_at(kernels.back());
    why = flaw_of_the_method(part, part.seen->operation_at(kernels.front()), measured);
    if (why.seen.empty() && has_the_right_value(*part.seen, measured, why)) return true;
    if (why.where.empty()) why.where = place_of(*part.seen, measured);
  }
  why.required = fmt::format(
      "Two events around the kernel, in its stream, say how long it takes (within {}), the first launch left "
      "out.",
      percent(tolerance_));
  why.read_next = "The section \"Measuring\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void measures_with_events_matcher::DescribeTo(std::ostream* out) const {
  *out << "events measured the " << what_.words << " within " << percent(tolerance_);
}

void measures_with_events_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "events did not measure the " << what_.words << " within " << percent(tolerance_);
}

}  // namespace matchers
