#include "harness/host_works_while_device_is_busy.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/findings.h"
#include "harness/waiting_calls.h"
#include "harness/words.h"
#include "report/words.h"

namespace harness {

namespace {

using interval = std::pair<trace::nanoseconds, trace::nanoseconds>;

std::vector<interval> united(std::vector<interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<interval> apart;
  for (const interval& each : intervals) {
    if (!apart.empty() && each.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, each.second);
    } else {
      apart.push_back(each);
    }
  }
  return apart;
}

trace::nanoseconds length(const std::vector<interval>& apart) {
  trace::nanoseconds sum{0};
  for (const interval& each : apart) sum += each.second - each.first;
  return sum;
}

trace::nanoseconds common(const std::vector<interval>& left, const std::vector<interval>& right) {
  trace::nanoseconds sum{0};
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const auto begin = std::max(left[i].first, right[j].first);
    const auto end = std::min(left[i].second, right[j].second);
    if (begin < end) sum += end - begin;
    left[i].second < right[j].second ? ++i : ++j;
  }
  return sum;
}

std::vector<interval> device_busy(const analysis::part& part) {
  std::vector<interval> busy;
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.seen->operation_at(id);
    if (operation.kind == trace::operation_kind::kernel || operation.kind == trace::operation_kind::copy ||
        operation.kind == trace::operation_kind::memset) {
      busy.emplace_back(operation.start, operation.end);
    }
  }
  return united(std::move(busy));
}

std::vector<trace::call_id> working_calls(const analysis::part& part) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (part.seen->call_at(id).name == "host_work") found.push_back(id);
  }
  return found;
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
  std::vector<interval> intervals;
  for (trace::call_id id : working) {
    intervals.emplace_back(part.seen->call_at(id).start, part.seen->call_at(id).end);
  }
  const std::vector<interval> host = united(std::move(intervals));
  const trace::nanoseconds worked = length(host);
  report::evidence why;
  if (worked.count() == 0) {
    why.seen = "The host task never ran.";
  } else {
    const trace::nanoseconds both = common(host, device_busy(part));
    const double fraction = static_cast<double>(both.count()) / static_cast<double>(worked.count());
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

}  // namespace harness
