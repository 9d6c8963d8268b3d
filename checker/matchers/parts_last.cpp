#include "matchers/parts_last.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "matchers/findings.h"
#include "matchers/words.h"
#include "report/text_layout.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

std::optional<analysis::part> inner_part(const analysis::part& outer, const std::string& name) {
  try {
    const analysis::part found = analysis::part_of(*outer.seen, name);
    if (found.begin >= outer.begin && found.end <= outer.end) return found;
  } catch (const std::out_of_range&) {
    // The mark is not there: what it stands for did not happen.
  }
  return std::nullopt;
}

// Whether it was held back only by an operation of the same part, before it in its stream: then what matters
// is what held that one back.
bool only_follows(const analysis::part& part, const trace::operation& operation) {
  if (!operation.waited_for || operation.waited_for->empty()) return false;
  const trace::constraint& deciding = operation.waited_for->front();
  return deciding.kind == trace::constraint_kind::stream_order &&
         std::find(part.operations.begin(), part.operations.end(), deciding.operation) !=
             part.operations.end();
}

bool is_work(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::kernel || operation.kind == trace::operation_kind::copy ||
         operation.kind == trace::operation_kind::memset;
}

// The work of the part that waited longest between its issue and its start.
trace::operation_id longest_waiting(const analysis::part& part) {
  trace::operation_id found = 0;
  trace::nanoseconds longest{-1};
  for (trace::operation_id id : part.operations) {
    const trace::operation& each = part.seen->operation_at(id);
    if (!is_work(each) || only_follows(part, each) || each.start - each.issued <= longest) continue;
    longest = each.start - each.issued;
    found = id;
  }
  return found;
}

// The call in which the host spent most of the time from the end of the part's work to the end of the part;
// nothing when its work waited longer than that, or the host was in no call.
const trace::host_call* longest_call_after_the_work(const analysis::part& part, const trace::operation& late,
                                                    trace::nanoseconds work_end) {
  const trace::host_call* found = nullptr;
  trace::nanoseconds longest = late.start - late.issued;
  for (trace::call_id id : part.calls) {
    const trace::host_call& each = part.seen->call_at(id);
    const trace::nanoseconds after = std::min(each.end, part.end) - std::max(each.start, work_end);
    if (after <= longest) continue;
    longest = after;
    found = &each;
  }
  return found;
}

trace::nanoseconds end_of_work(const analysis::part& part) {
  trace::nanoseconds end = part.begin;
  for (trace::operation_id id : part.operations) {
    const trace::operation& each = part.seen->operation_at(id);
    if (is_work(each)) end = std::max(end, each.end);
  }
  return end;
}

void explain_waiting(const analysis::part& part, trace::nanoseconds zero, report::evidence& why) {
  const trace::operation_id id = longest_waiting(part);
  if (id == 0) {
    why.seen += " No work at all was queued for it.";
    return;
  }
  const trace::operation& late = part.seen->operation_at(id);
  const trace::nanoseconds done = end_of_work(part);
  if (const trace::host_call* const call = longest_call_after_the_work(part, late, done)) {
    why.seen += fmt::format(
        " All its work was done at {}. The host was in {} until {}: that call waits for more than that work.",
        report::duration_words(done - zero), in_words(*part.seen, *call),
        report::duration_words(call->end - zero));
    why.where = part.seen->describe(call->where);
    return;
  }
  why.seen +=
      fmt::format(" Of its work, {} waited longest: queued at {}, started at {}.", in_words(*part.seen, late),
                  report::duration_words(late.issued - zero), report::duration_words(late.start - zero));
  const std::string reason = reason_to_wait(part, late);
  if (!reason.empty()) why.seen += ' ' + reason;
  why.where = place_of(*part.seen, late);
}

}  // namespace

parts_last_matcher::parts_last_matcher(std::string name, int count, double times,
                                       trace::nanoseconds attainable)
    : name_(std::move(name)), count_(count), times_(times), attainable_(attainable) {}

bool parts_last_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  report::evidence why;
  why.required = fmt::format("Each {} takes at most {:.2f} times what is attainable at worst, which is {}.",
                             name_, times_, report::duration_words(attainable_));
  why.read_next = "The picture of your run, and the section \"The idea\" in the README of the lesson.";
  report::run_verdict failure = report::run_verdict::too_slow;
  double worst = 0;
  int worst_number = 0;
  for (int number = 1; number <= count_ && why.seen.empty(); ++number) {
    const auto found = inner_part(part, fmt::format("{} {}", name_, number));
    if (!found) {
      why.seen = fmt::format("{} {} of {} never began or was never ended.", name_, number, count_);
      failure = report::run_verdict::requirement_missed;
      break;
    }
    const double ratio =
        static_cast<double>((found->end - found->begin).count()) / static_cast<double>(attainable_.count());
    if (ratio > worst) {
      worst = ratio;
      worst_number = number;
    }
  }
  file_compared_with_calibration();
  if (why.seen.empty()) file_at_most(worst, times_);
  if (why.seen.empty() && worst <= times_) {
    file_note(fmt::format("the slowest took {:.2f} times the attainable, allowed {:.2f}", worst, times_));
    return true;
  }
  if (why.seen.empty()) {
    const analysis::part slowest = *inner_part(part, fmt::format("{} {}", name_, worst_number));
    why.seen = fmt::format("{} {} took {}, {:.2f} times as long.", report::capitalized(name_), worst_number,
                           report::duration_words(slowest.end - slowest.begin), worst);
    explain_waiting(slowest, part.begin, why);
  }
  if (explanation) *explanation << why.seen;
  file_failure({failure, why});
  return false;
}

void parts_last_matcher::DescribeTo(std::ostream* out) const {
  *out << "each " << name_ << " takes at most " << times_ << " times what is attainable";
}

void parts_last_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "some " << name_ << " takes more than " << times_ << " times what is attainable";
}

}  // namespace matchers
