#include "matchers/is_ordered.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/wording/race_sentences.h"
#include "analysis/races.h"

namespace matchers {

namespace {

/// The learner's function, if the part holds more than that.
report::race_reader reader_of(const run_facts& run) {
  const std::vector<trace::mark>& marks = run.recording().marks;
  const bool has_learner_part = std::any_of(
      marks.begin(), marks.end(), [](const trace::mark& mark) { return mark.name == "begin:learner"; });
  if (!has_learner_part) return {};
  return {run.of_part("learner").part()};
}

std::string listed(const trace::recording& recording, const std::vector<trace::location>& places) {
  std::string text;
  for (const trace::location& place : places) text += (text.empty() ? "" : ", ") + recording.describe(place);
  return text;
}

verdict judge_order(const run_facts& run) {
  const auto& races = run.races();
  if (!races) {
    return not_observable(
        "The recording does not say which bytes were read and written. The virtual GPU does.");
  }
  if (races->empty()) return passed("no two accesses are without order");
  const trace::recording& recording = run.recording();
  const analysis::ordering& order = run.ordering();
  const std::vector<analysis::race_cause> causes = analysis::causes_of(recording, order, *races);
  const report::race_reader reader = reader_of(run);
  report::evidence why;
  why.required =
      "Whatever touches the same bytes is put in order: by a stream, an event, or a wait of the host.";
  why.seen = report::describe(recording, order, causes.front(), reader);
  if (causes.size() > 1) {
    why.seen += causes.size() == 2 ? " There is 1 more place like this."
                                   : fmt::format(" There are {} more places like this.", causes.size() - 1);
  }
  why.where = listed(recording, report::places_of(recording, order, causes.front(), reader));
  why.read_next = "The section \"The surprise\" in the README of the lesson: right data in one run are luck.";
  verdict race = failed(report::run_verdict::race_detected, why);
  race.mistake = report::mistake_in(recording, order, causes.front(), reader);
  return race;
}

}  // namespace

matcher IsOrdered() { return {"everything that touches the same bytes is in order", judge_order}; }

}  // namespace matchers
