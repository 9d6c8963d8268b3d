#include "matchers/host_functions_are_short.h"

#include <fmt/core.h>

#include <vector>

#include "matchers/findings.h"
#include "matchers/intervals.h"
#include "matchers/operation_set.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

const trace::operation& longest_host_function(const analysis::part& part) {
  const trace::operation* longest = nullptr;
  for (trace::operation_id id : members(part, host_functions())) {
    const trace::operation& each = part.seen->operation_at(id);
    if (longest == nullptr || each.end - each.start > longest->end - longest->start) longest = &each;
  }
  return *longest;
}

}  // namespace

bool host_functions_are_short_matcher::MatchAndExplain(const analysis::part& part,
                                                       std::ostream* explanation) const {
  const std::vector<interval> functions = running_times(*part.seen, members(part, host_functions()));
  report::evidence why;
  if (functions.empty()) {
    why.seen = "There were no host functions at all.";
  } else {
    const trace::nanoseconds held = length(functions);
    const trace::nanoseconds computed = length(united(running_times(*part.seen, members(part, kernels()))));
    const double fraction = static_cast<double>(held.count()) / static_cast<double>(computed.count());
    file_at_most(fraction, fraction_);
    if (fraction <= fraction_) {
      file_note(fmt::format("{:.2f}, allowed {:.2f}", fraction, fraction_));
      return true;
    }
    const trace::operation& longest = longest_host_function(part);
    why.seen = fmt::format(
        "They took {} while kernels ran for {} ({}). The longest, {}, took {}; nothing that was queued "
        "behind it in "
        "its stream could start.",
        report::duration_words(held), report::duration_words(computed), percent(fraction),
        in_words(*part.seen, longest), report::duration_words(longest.end - longest.start));
    why.where = place_of(*part.seen, longest);
  }
  why.required = fmt::format("All host functions together take at most {} of the time in which kernels run.",
                             percent(fraction_));
  why.read_next =
      "A host function holds its stream, and the functions of other streams wait for it. Let it wake up a "
      "thread that "
      "does the work.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void host_functions_are_short_matcher::DescribeTo(std::ostream* out) const {
  *out << "host functions take at most " << percent(fraction_) << " of the time of the kernels";
}

void host_functions_are_short_matcher::DescribeNegationTo(std::ostream* out) const {
  *out << "host functions take more than " << percent(fraction_) << " of the time of the kernels";
}

}  // namespace matchers
