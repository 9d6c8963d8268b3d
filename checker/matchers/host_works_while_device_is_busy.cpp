#include "matchers/host_works_while_device_is_busy.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/waiting_calls.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

std::vector<interval> device_busy(const analysis::part& part) {
  std::vector<trace::operation_id> busy;
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.seen->operation_at(id);
    if (operation.kind == trace::operation_kind::kernel || operation.kind == trace::operation_kind::copy ||
        operation.kind == trace::operation_kind::memset) {
      busy.push_back(id);
    }
  }
  return united(running_times(*part.seen, busy));
}

// The wait that stands before the first work of the host is most often what emptied the GPU.
std::string place_of_wait_before(const analysis::part& part, trace::call_id work) {
  std::string place;
  for (trace::call_id id : waiting_calls(part)) {
    if (id < work) place = part.seen->describe(part.seen->call_at(id).where);
  }
  return place;
}

}  // namespace

bool host_works_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<trace::call_id> working = working_calls(part);
  const std::vector<interval> host = united(times_of_calls(*part.seen, working));
  const trace::nanoseconds worked = length(host);
  report::evidence why;
  if (worked.count() == 0) {
    why.seen = "The host task never ran.";
  } else {
    const trace::nanoseconds both = length(common(host, device_busy(part)));
    const double fraction = static_cast<double>(both.count()) / static_cast<double>(worked.count());
    file_at_least(fraction, fraction_);
    if (fraction >= fraction_) {
      file_note(fmt::format("{:.2f}, required {:.2f}", fraction, fraction_));
      return true;
    }
    why.seen =
        fmt::format("The host worked for {}, from {}; the GPU was busy during {} of that ({}).",
                    report::duration_words(worked), report::duration_words(host.front().first - part.begin),
                    report::duration_words(both), percent(fraction));
    why.where = place_of_wait_before(part, working.front());
  }
  why.required = fmt::format("The host task runs while the GPU is busy, for at least {} of its length.",
                             percent(fraction_));
  why.read_next =
      "Where in your function is the GPU busy and the host free? The picture of your run shows both.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void host_works_matcher::DescribeTo(std::ostream* out) const {
  *out << "the host works while the device is busy, for at least " << percent(fraction_);
}

void host_works_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "the host works while the device is busy, for less than " << percent(fraction_);
}

}  // namespace matchers
