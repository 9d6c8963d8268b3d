#include "matchers/reaches_overlap_efficiency.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/overlap.h"
#include "matchers/attainable_time.h"
#include "matchers/findings.h"
#include "matchers/stages.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

using trace::nanoseconds;

constexpr double next_to_nothing = 0.1;

struct pause {
  trace::operation_id ended_by = 0;
  nanoseconds begin{0};
  nanoseconds end{0};
  nanoseconds length() const { return end - begin; }
};

// The longest time, after its first operation, in which the stage had nothing to do although more was to
// come.
pause longest_pause(const analysis::part& part, stage which) {
  std::vector<trace::operation_id> order = operations_of(part, which);
  std::stable_sort(order.begin(), order.end(), [&](auto one, auto two) {
    return part.seen->operation_at(one).start < part.seen->operation_at(two).start;
  });
  pause longest;
  nanoseconds busy_until{0};
  for (trace::operation_id id : order) {
    const trace::operation& operation = part.seen->operation_at(id);
    if (id != order.front() && operation.start - busy_until > longest.length()) {
      longest = {id, busy_until, operation.start};
    }
    busy_until = std::max(busy_until, operation.end);
  }
  return longest;
}

stage busiest_stage(const attainable& best) {
  const nanoseconds longest = std::max({best.to_device, best.kernel, best.to_host});
  if (longest == best.to_device) return stage::copy_to_device;
  return longest == best.kernel ? stage::kernel : stage::copy_to_host;
}

// What kept the part from the attainable time: everything in one piece, a pause of the busiest stage, a late
// first kernel, or, when it is none of these, too few or too many chunks.
void explain(const analysis::part& part, const attainable& best, report::evidence& why) {
  const trace::recording& seen = *part.seen;
  const auto launches = operations_of(part, stage::kernel);
  if (launches.size() < 2) {
    why.seen += " All of it is one chunk.";
    if (!launches.empty()) why.where = place_of(seen, seen.operation_at(launches.front()));
    return;
  }
  const stage busiest = busiest_stage(best);
  const pause longest = longest_pause(part, busiest);
  if (longest.length() > best.time / 20) {
    const trace::operation& late = seen.operation_at(longest.ended_by);
    why.seen +=
        fmt::format(" The {} take longest, so they should never pause; they did from {} to {}, before {}.",
                    in_words(busiest), report::duration_words(longest.begin - part.begin),
                    report::duration_words(longest.end - part.begin), in_words(seen, late));
    const std::string reason = reason_to_wait(part, late);
    if (!reason.empty()) why.seen += " " + reason;
    why.where = place_of(seen, late);
    return;
  }
  const trace::operation& first = seen.operation_at(launches.front());
  if (static_cast<int>(launches.size()) >= best.chunks && first.start - part.begin > best.time / 3) {
    why.seen += fmt::format(" No kernel ran before {}, although the copies of one chunk take far less. {}",
                            report::duration_words(first.start - part.begin), reason_to_wait(part, first));
    why.where = place_of(seen, first);
    return;
  }
  why.seen += fmt::format(
      " It has {} chunks where {} are best: with few, the first copies in and the last copies out run alone; "
      "with many, the cost of each copy ({}) adds up.",
      launches.size(), best.chunks, report::duration_words(best.per_copy));
  why.where = place_of(seen, first);
}

// What overlapped is not known then, only how long all of it took.
bool is_known_by_events(const trace::recording& seen) {
  return std::any_of(seen.diagnostics.begin(), seen.diagnostics.end(), [](const trace::diagnostic& each) {
    return each.kind == trace::diagnostic_kind::not_recorded;
  });
}

}  // namespace

bool overlap_efficiency_matcher::MatchAndExplain(const analysis::part& part,
                                                 std::ostream* explanation) const {
  const attainable best = attainable_time(*part.seen);
  file_lengths_judged();
  file_compared_with_calibration();
  const bool by_events = is_known_by_events(*part.seen);
  if (best.serial - best.time < best.serial / 10) {
    file_not_observable("On this device overlap gains next to nothing for this work.",
                        report::run_verdict::not_measurable);
    return true;
  }
  const nanoseconds actual = time_in_calls(part);
  const double efficiency = analysis::overlap_efficiency(best.serial, actual, best.time);
  if (!staged_operations(part).empty()) file_at_least(efficiency, fraction_);
  if (!staged_operations(part).empty() && efficiency >= fraction_) {
    if (actual < best.physical_limit) {
      file_not_observable(
          "The work was faster than its copies alone can be: the calibration does not fit it.",
          report::run_verdict::inconclusive);
    } else {
      file_note(fmt::format("{:.2f}, required {:.2f}: {} instead of {}{}", efficiency, fraction_,
                            report::duration_words(actual), report::duration_words(best.serial),
                            by_events ? ", by events" : ""));
    }
    return true;
  }
  report::evidence why;
  why.required = fmt::format(
      "At least {} of what overlap can gain on this device: {} one step after another, {} at best, in {} "
      "chunks.",
      percent(fraction_), report::duration_words(best.serial), report::duration_words(best.time),
      best.chunks);
  if (staged_operations(part).empty()) {
    why.seen = "There were no copies and no kernels.";
  } else {
    why.seen = fmt::format("Yours took {}, which gains {}.", report::duration_words(actual),
                           efficiency > 0 ? percent(efficiency) : "nothing");
    if (by_events) {
      why.seen += " That is by events; what ran when is not known.";
    } else {
      explain(part, best, why);
      std::string where;
      const std::string first = what_costs_most(part, where);
      if (!first.empty()) why.seen += " What costs most: " + first;
      if (!first.empty() && !where.empty()) why.where = where;
    }
  }
  why.read_next =
      "The table that your run printed, and the section \"The surprise\" in the README of the lesson.";
  if (explanation) *explanation << why.seen;
  file_failure(
      {efficiency < next_to_nothing ? report::run_verdict::no_overlap : report::run_verdict::too_slow, why});
  return false;
}

void overlap_efficiency_matcher::DescribeTo(std::ostream* out) const {
  *out << "gains at least " << percent(fraction_) << " of what overlap can gain";
}

void overlap_efficiency_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "gains less than " << percent(fraction_) << " of what overlap can gain";
}

}  // namespace matchers
