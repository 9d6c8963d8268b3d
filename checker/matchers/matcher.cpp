#include "matchers/matcher.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/early_returns.h"
#include "matchers/facts/threads/shared_variables.h"
#include "matchers/facts/words.h"
#include "report/wording/place_text.h"

namespace matchers {

matcher::matcher(std::string description, std::function<verdict(const run_facts&)> judge, reach within)
    : description_(std::move(description)), judge_(std::move(judge)), reach_(within) {}

verdict matcher::match(const run_facts& run) const {
  std::optional<verdict> first;
  for (const run_facts& facts : run.everywhere(reach_)) {
    verdict found = judge_(facts);
    const bool has_failed = found.outcome == report::criterion_verdict::fail;
    found.is_of_usual_run = facts.is_usual_run();
    if (has_failed && !facts.place_in_words().empty()) {
      found.why.observation += " That was " + facts.place_in_words() + ".";
      found.measured = first ? first->measured : std::nullopt;
    }
    if (has_failed) {
      name_skipped_calls(facts, found.mistake, found.why);
      name_early_return(facts.recording(), found.why);
      add_callers_of_calls(found.why, facts.recording(), facts.part().calls);
      if (name_ended_captures(facts.source(), found.why)) found.is_explained = true;
      return found;
    }
    if (!first) first = std::move(found);
  }
  return *first;
}

bool matcher::is_asked_of(const run_facts& run) const {
  if (run.call() == exercise::call::repeated) return true;
  if (reach_ != reach::plain_run) return reach_ != reach::judged_call;
  return !run.is_on_real_gpu() && refused_work(run).empty();
}

bool matcher::MatchAndExplain(const subject& judged, std::ostream* explanation) const {
  if (!is_asked_of(judged.facts)) return true;
  verdict found = match(judged.facts);
  found.is_asked_of_first_call =
      reach_ != reach::judged_call && !judged.facts.is_on_real_gpu() && found.is_of_usual_run;
  const bool has_failed = found.outcome == report::criterion_verdict::fail;
  if (explanation && has_failed) *explanation << found.why.observation;
  std::vector<verdict>& kept = *judged.verdicts;
  if (std::find(kept.begin(), kept.end(), found) == kept.end()) kept.push_back(std::move(found));
  return !has_failed;
}

void matcher::DescribeTo(std::ostream* out) const { *out << description_; }

void matcher::DescribeNegationTo(std::ostream* out) const { *out << "not: " << description_; }

}  // namespace matchers
