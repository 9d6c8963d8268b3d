#include "matchers/matcher.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace matchers {

matcher::matcher(std::string description, std::function<verdict(const run_facts&)> judge)
    : description_(std::move(description)), judge_(std::move(judge)) {}

bool matcher::MatchAndExplain(const subject& judged, std::ostream* explanation) const {
  verdict found = match(judged.facts);
  const bool has_failed = found.outcome == report::criterion_verdict::fail;
  if (explanation && has_failed) *explanation << found.why.observation;
  std::vector<verdict>& kept = *judged.verdicts;
  if (std::find(kept.begin(), kept.end(), found) == kept.end()) kept.push_back(std::move(found));
  return !has_failed;
}

void matcher::DescribeTo(std::ostream* out) const { *out << description_; }

void matcher::DescribeNegationTo(std::ostream* out) const { *out << "not: " << description_; }

}  // namespace matchers
