#include "matchers/run_at_once.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

using ids = std::vector<trace::operation_id>;

// What held back independent work tells most: not the order inside a stream, which is wanted. Among those the
// most frequent kind of reason, and of that the longest operation.
const trace::operation* telling(const trace::recording& seen, const ids& operations) {
  std::map<trace::constraint_kind, ids> held_back;
  for (trace::operation_id id : operations) {
    const trace::operation& operation = seen.operation_at(id);
    if (id == operations.front() || !operation.waited_for || operation.waited_for->empty()) continue;
    held_back[operation.waited_for->front().kind].push_back(id);
  }
  if (held_back.size() > 1) held_back.erase(trace::constraint_kind::stream_order);
  const auto most = std::max_element(
      held_back.begin(), held_back.end(),
      [](const auto& one, const auto& two) { return one.second.size() < two.second.size(); });
  if (most == held_back.end()) return nullptr;
  const auto shorter = [&](trace::operation_id one, trace::operation_id two) {
    return length(running_times(seen, {one})) < length(running_times(seen, {two}));
  };
  return &seen.operation_at(*std::max_element(most->second.begin(), most->second.end(), shorter));
}

}  // namespace

run_at_once_matcher::run_at_once_matcher(operation_set operations, double count)
    : operations_(std::move(operations)), count_(count) {}

bool run_at_once_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const ids operations = members(part, operations_);
  const std::vector<interval> times = running_times(seen, operations);
  const trace::nanoseconds one_by_one = length(times);
  const trace::nanoseconds busy = length(united(times));
  report::evidence why;
  if (busy.count() == 0) {
    why.seen = fmt::format("There were no {} at all.", operations_.words);
  } else {
    const double average = static_cast<double>(one_by_one.count()) / static_cast<double>(busy.count());
    file_at_least(average, count_, 1);
    if (average >= count_) {
      file_note(fmt::format("{:.1f} on average, required {:.1f}", average, count_));
      return true;
    }
    why.seen =
        fmt::format("It was {:.1f}: one after another the {} take {}, and they took {}.", average,
                    operations_.words, report::duration_words(one_by_one), report::duration_words(busy));
    const std::string costs_most = what_costs_most(part, why.where);
    const trace::operation* held_back = telling(seen, operations);
    if (held_back != nullptr && (why.where.empty() || why.where != place_of(seen, *held_back))) {
      why.seen += fmt::format(" For example {}. Why it did not start earlier: {}", in_words(seen, *held_back),
                              reason_to_wait(part, *held_back));
      if (why.where.empty()) why.where = place_of(seen, *held_back);
    }
    if (!costs_most.empty()) why.seen += " What costs most: " + costs_most;
  }
  why.required = fmt::format("On average at least {:.1f} {} run at a time.", count_, operations_.words);
  why.read_next = "The picture of your run, and the section \"The surprise\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::no_overlap, why});
  return false;
}

void run_at_once_matcher::DescribeTo(std::ostream* out) const {
  *out << "on average at least " << fmt::format("{:.1f} ", count_) << operations_.words << " run at a time";
}

void run_at_once_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "on average less than " << fmt::format("{:.1f} ", count_) << operations_.words << " run at a time";
}

}  // namespace matchers
