#include "matchers/overlaps.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "analysis/overlap.h"
#include "matchers/findings.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

using ids = std::vector<trace::operation_id>;

// The first operations fill the pipeline and the last ones drain it: nothing could run beside them. What
// tells something is an operation in between; only when there is none is any taken.
ids neither_filling_nor_draining(const trace::recording& seen, const ids& candidates, const ids& others) {
  trace::nanoseconds first_start = seen.operation_at(others.front()).start;
  trace::nanoseconds last_end{0};
  for (trace::operation_id id : others) {
    first_start = std::min(first_start, seen.operation_at(id).start);
    last_end = std::max(last_end, seen.operation_at(id).end);
  }
  ids between;
  for (trace::operation_id id : candidates) {
    const trace::operation& candidate = seen.operation_at(id);
    if (candidate.start >= first_start && candidate.end <= last_end) between.push_back(id);
  }
  return between.empty() ? candidates : between;
}

// An operation that follows one of the others in its own stream could not have run beside it; it says nothing
// about what keeps independent work apart.
bool follows_one_of(const trace::operation& operation, const ids& others) {
  if (!operation.waited_for || operation.waited_for->empty()) return false;
  const trace::constraint& deciding = operation.waited_for->front();
  return deciding.kind == trace::constraint_kind::stream_order &&
         std::find(others.begin(), others.end(), deciding.operation) != others.end();
}

ids telling(const trace::recording& seen, const ids& candidates, const ids& others) {
  const ids between = neither_filling_nor_draining(seen, candidates, others);
  ids independent;
  for (trace::operation_id id : between) {
    if (!follows_one_of(seen.operation_at(id), others)) independent.push_back(id);
  }
  return independent.empty() ? between : independent;
}

// Why that one did not start earlier, and what costs most in all, unless one of the two tells of both.
void tell_why(const analysis::part& part, const trace::operation& alone, report::evidence& why) {
  const std::string held_back_at = line_that_held_back(part, alone);
  std::string costly_line;
  const std::string costs_most = what_costs_most(part, costly_line);
  why.where = held_back_at.empty() ? place_of(*part.seen, alone) : held_back_at;
  const bool is_same_line = !costs_most.empty() && costly_line == why.where;
  const std::string reason = reason_to_wait(part, alone);
  if (!reason.empty() && !is_same_line) why.seen += " Why it did not start earlier: " + reason;
  if (costs_most.empty() || (!held_back_at.empty() && !is_same_line)) return;
  why.seen += " What costs most: " + costs_most;
  if (!costly_line.empty()) why.where = costly_line;
}

report::evidence what_stayed_alone(const analysis::part& part, const operation_set& first,
                                   const operation_set& second, const analysis::overlap_facts& facts) {
  const trace::recording& seen = *part.seen;
  const ids others = members(part, second);
  const ids candidates = telling(seen, members(part, first), others);
  report::evidence why;
  why.seen = fmt::format("They did for {} of it: {} were running for {}, {} for {}, both at once for {}.",
                         percent(facts.fraction()), first.words, report::duration_words(facts.first_busy),
                         second.words, report::duration_words(facts.second_busy),
                         report::duration_words(facts.both_busy));
  trace::operation_id alone = analysis::longest_alone(seen, candidates, others);
  // All that tells something may have run beside others, and the rest after them.
  if (alone == 0) alone = analysis::longest_alone(seen, members(part, first), others);
  if (alone != 0) {
    const trace::operation& operation = seen.operation_at(alone);
    why.seen += fmt::format(" For example, none of the {} ran during {}, from {} to {}.", second.words,
                            in_words(seen, operation), report::duration_words(operation.start - part.begin),
                            report::duration_words(operation.end - part.begin));
    tell_why(part, operation, why);
  }
  return why;
}

}  // namespace

overlaps_matcher::overlaps_matcher(operation_set first, operation_set second, double fraction)
    : first_(std::move(first)), second_(std::move(second)), fraction_(fraction) {}

bool overlaps_matcher::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const ids first = members(part, first_);
  const ids second = members(part, second_);
  report::evidence why;
  if (first.empty() || second.empty()) {
    why.seen = fmt::format("There were no {} at all.", first.empty() ? first_.words : second_.words);
  } else {
    const analysis::overlap_facts facts = analysis::overlap(*part.seen, first, second);
    file_at_least(facts.fraction(), fraction_);
    if (facts.fraction() >= fraction_) {
      file_note(fmt::format("{:.2f}, required {:.2f}", facts.fraction(), fraction_));
      return true;
    }
    why = what_stayed_alone(part, first_, second_, facts);
  }
  why.required = fmt::format("The {} run while {} run, for at least {} of the shorter of the two.",
                             first_.words, second_.words, percent(fraction_));
  why.read_next = "The picture of your run, and the section \"The idea\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::no_overlap, why});
  return false;
}

void overlaps_matcher::DescribeTo(std::ostream* out) const {
  *out << first_.words << " run while " << second_.words << " run, for at least " << percent(fraction_);
}

void overlaps_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << first_.words << " and " << second_.words << " run at the same time for less than "
       << percent(fraction_);
}

}  // namespace matchers
