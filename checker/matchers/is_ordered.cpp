#include "matchers/is_ordered.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/race_diagnosis.h"
#include "matchers/findings.h"
#include "report/wording/race_sentences.h"

namespace matchers {

namespace {

/// The learner's function, if the part holds more than that.
std::optional<analysis::part> users_function_in(const analysis::part& part) {
  const auto begins_learner = [](const trace::mark& each) { return each.name == "begin:learner"; };
  if (std::none_of(part.seen->marks.begin(), part.seen->marks.end(), begins_learner)) return std::nullopt;
  return analysis::part_of(*part.seen, "learner");
}

std::string listed(const trace::recording& seen, const std::vector<trace::location>& places) {
  std::string text;
  for (const trace::location& each : places) text += (text.empty() ? "" : ", ") + seen.describe(each);
  return text;
}

}  // namespace

bool IsOrdered::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const trace::recording& seen = *part.seen;
  const auto races = analysis::diagnose_races(part, analysis::ordering(seen), users_function_in(part));
  if (!races) {
    file_not_observable(
        "The recording does not say which bytes were read and written. The virtual GPU does.");
    return true;
  }
  if (races->empty()) {
    file_note("no two accesses are without order");
    return true;
  }
  const analysis::race_diagnosis& race = races->front();
  report::evidence why;
  why.required =
      "Whatever touches the same bytes is put in order: by a stream, an event, or a wait of the host.";
  why.seen = report::race_sentences(seen, race);
  if (races->size() > 1) {
    why.seen += races->size() == 2 ? " There is 1 more place like this."
                                   : fmt::format(" There are {} more places like this.", races->size() - 1);
  }
  why.where = listed(seen, race.places);
  why.read_next = "The section \"The surprise\" in the README of the lesson: right data in one run are luck.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::race_detected, why, std::string(analysis::word_of(race.mistake))});
  return false;
}

void IsOrdered::DescribeTo(std::ostream* out) const {
  *out << "everything that touches the same bytes is in order";
}

void IsOrdered::DescribeNegationTo(std::ostream* out) const {
  *out << "something that touches the same bytes has no order";
}

}  // namespace matchers
