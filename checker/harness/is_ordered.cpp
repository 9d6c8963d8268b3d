#include "harness/is_ordered.h"

#include <fmt/core.h>

#include <string>

#include "analysis/races.h"
#include "harness/findings.h"
#include "harness/words.h"

namespace harness {

namespace {

// A side that is an operation was issued by a line of the learner; the other may be the caller's own reading.
std::string place_of_race(const trace::recording& seen, const analysis::race& race) {
  for (const analysis::race_side* side : {&race.second, &race.first}) {
    if (side->operation == 0) continue;
    const std::string place = place_of(seen, seen.operation_at(side->operation));
    if (!place.empty()) return place;
  }
  return "";
}

}  // namespace

bool IsOrdered::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const auto races = analysis::find_races(part);
  if (!races) {
    file_not_observable(
        "The recording does not say which bytes were read and written. The virtual GPU does.");
    return true;
  }
  if (races->empty()) {
    file_note("no two accesses are without order");
    return true;
  }
  const analysis::race& first = races->front();
  report::evidence why;
  why.required =
      "Whatever touches the same bytes is put in order: by a stream, an event, or a wait of the host.";
  why.seen = analysis::describe(*part.seen, first);
  if (races->size() > 1) {
    why.seen += races->size() == 2 ? " There is 1 more pair like this."
                                   : fmt::format(" There are {} more pairs like this.", races->size() - 1);
  }
  why.where = place_of_race(*part.seen, first);
  why.read_next = "The section \"The surprise\" in the README of the lesson: right data in one run are luck.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::race_detected, why});
  return false;
}

void IsOrdered::DescribeTo(std::ostream* out) const {
  *out << "everything that touches the same bytes is in order";
}

void IsOrdered::DescribeNegationTo(std::ostream* out) const {
  *out << "something that touches the same bytes has no order";
}

}  // namespace harness
