#include "matchers/host_works_while.h"

#include <fmt/core.h>

#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/waiting_calls.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

// The longest wait between two pieces of work of the host is most often what kept it from working earlier.
const trace::host_call* longest_wait_before(const analysis::part& part, trace::call_id last_work) {
  const trace::host_call* longest = nullptr;
  for (trace::call_id id : waiting_calls(part)) {
    const trace::host_call& call = part.seen->call_at(id);
    if (id < last_work && (longest == nullptr || call.end - call.start > longest->end - longest->start)) {
      longest = &call;
    }
  }
  return longest;
}

}  // namespace

host_works_while_matcher::host_works_while_matcher(operation_set operations, double fraction)
    : operations_(std::move(operations)), fraction_(fraction) {}

host_works_while_matcher host_works_while_matcher::in_calls(std::size_t count) const {
  host_works_while_matcher copy = *this;
  copy.calls_ = count;
  return copy;
}

bool host_works_while_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<trace::call_id> working = working_calls(part);
  const std::vector<interval> host = united(times_of_calls(*part.seen, working));
  const trace::nanoseconds worked = length(host);
  report::evidence why;
  if (worked.count() == 0) {
    why.seen = "The host task never ran.";
  } else if (calls_ && working.size() != *calls_) {
    why.seen = fmt::format("The host task ran {} times instead of {}.", working.size(), *calls_);
  } else {
    const trace::nanoseconds both =
        length(common(host, united(running_times(*part.seen, members(part, operations_)))));
    const double fraction = static_cast<double>(both.count()) / static_cast<double>(worked.count());
    file_at_least(fraction, fraction_);
    if (fraction >= fraction_) {
      file_note(fmt::format("{:.2f}, required {:.2f}", fraction, fraction_));
      return true;
    }
    why.seen = fmt::format("The host worked for {}; {} were running during {} of that ({}).",
                           report::duration_words(worked), operations_.words, report::duration_words(both),
                           percent(fraction));
    if (const trace::host_call* wait = longest_wait_before(part, working.back())) {
      why.seen += fmt::format(" Its longest wait before that was in {}, for {}.", in_words(*part.seen, *wait),
                              report::duration_words(wait->end - wait->start));
      why.where = part.seen->describe(wait->where);
    }
  }
  why.required = fmt::format("The host task runs while {} run, for at least {} of its length.",
                             operations_.words, percent(fraction_));
  why.read_next = "The host lane in the picture of your run: which call kept the CPU while the copy ran?";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void host_works_while_matcher::DescribeTo(std::ostream* out) const {
  *out << "the host works while " << operations_.words << " run, for at least " << percent(fraction_);
}

void host_works_while_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "the host works while " << operations_.words << " run, for less than " << percent(fraction_);
}

}  // namespace matchers
