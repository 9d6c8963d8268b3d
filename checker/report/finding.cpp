#include "report/finding.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "report/wording/explanation_text.h"
#include "report/wording/misuse_sentences.h"
#include "report/wording/race_sentences.h"

namespace report {
namespace {

std::vector<source_place> in_files(const trace::recording& seen, const std::vector<trace::location>& places) {
  std::vector<source_place> result;
  for (const trace::location& each : places) {
    if (!seen.is_given(each)) result.push_back({seen.files.at(each.file).path, each.line});
  }
  return result;
}

std::pair<std::string_view, std::string_view> rule_and_title_of(analysis::race_kind kind) {
  switch (kind) {
    case analysis::race_kind::unordered:
      return {"unordered_accesses", "Nothing orders two accesses to the same bytes"};
    case analysis::race_kind::result_read_early:
      return {"result_read_early", "A result is read before it is ready"};
    case analysis::race_kind::source_overwritten:
      return {"source_overwritten", "The source of a copy is overwritten before the copy has run"};
  }
  throw std::logic_error("a kind of race without a title");
}

std::string title_of(const analysis::misuse& found) {
  switch (found.kind) {
    case analysis::misuse_kind::reported_by_backend:
      return "The program does what CUDA does not allow";
    case analysis::misuse_kind::freed_while_in_use:
      return "Memory is freed while it is in use";
    case analysis::misuse_kind::used_after_destruction:
      return found.stream != 0 ? "A destroyed stream is used" : "A destroyed event is used";
    case analysis::misuse_kind::unrecorded_event:
      return "A wait for an event that is never recorded";
    case analysis::misuse_kind::no_time_between_events:
      return "No time between two events";
    case analysis::misuse_kind::unchecked_error:
      return "A call failed and nobody looked";
    case analysis::misuse_kind::stream_leak:
      return "A stream is never destroyed";
    case analysis::misuse_kind::event_leak:
      return "An event is never destroyed";
    case analysis::misuse_kind::memory_leak:
      return "Memory is never freed";
  }
  throw std::logic_error("a kind of misuse without a title");
}

bool is_leak(const analysis::misuse& found) {
  constexpr std::array leaks{analysis::misuse_kind::stream_leak, analysis::misuse_kind::event_leak,
                             analysis::misuse_kind::memory_leak};
  return std::find(leaks.begin(), leaks.end(), found.kind) != leaks.end();
}

finding of_race(const trace::recording& seen, const analysis::ordering& order,
                const analysis::race_cause& cause) {
  const auto [rule, title] = rule_and_title_of(cause.kind);
  finding result{finding_category::race, std::string(rule), std::string(title),
                 describe(seen, order, cause, {}),
                 in_files(seen, places_of(seen, order, cause, {}))};
  if (cause.pairs > 1)
    result.message += " " + std::to_string(cause.pairs - 1) +
                      (cause.pairs == 2 ? " more pair has" : " more pairs have") + " the same cause.";
  return result;
}

}  // namespace

std::string_view name_of(finding_category category) {
  switch (category) {
    case finding_category::race:
      return "race";
    case finding_category::misuse:
      return "misuse";
    case finding_category::no_overlap:
      return "no-overlap";
  }
  throw std::logic_error("a category of findings without a name");
}

std::vector<finding> findings_of(const trace::recording& seen, program_end end) {
  const analysis::part whole = analysis::part_of(seen, "");
  const analysis::ordering order(seen);
  std::vector<finding> findings;
  if (const auto races = analysis::find_races(whole, order)) {
    for (const analysis::race_cause& cause : analysis::causes_of(seen, order, *races))
      findings.push_back(of_race(seen, order, cause));
  }
  for (const analysis::misuse& each : analysis::find_misuse(whole, order)) {
    if (is_leak(each) && end == program_end::cut_short) continue;
    findings.push_back({finding_category::misuse, std::string(rule_of(seen, each)), title_of(each),
                        describe(seen, each), in_files(seen, places_of(seen, each))});
  }
  return findings;
}

std::vector<finding> findings_of(const trace::recording& seen, const explain::explanation& why) {
  std::vector<finding> findings;
  if (!why.is_replayed) return findings;
  for (const explain::cause_cost& each : why.causes) {
    if (each.cost * 10 < why.took) break;
    finding& added = findings.emplace_back();
    added.category = finding_category::no_overlap;
    added.rule = explain::word_of(each.what);
    added.title = "Work does not overlap: " + std::string(heading_of(each.what));
    added.message = sentence_of(seen, each) + " " + cure_of(seen, each);
    if (each.where.is_known()) added.places = in_files(seen, {each.where});
  }
  return findings;
}

}  // namespace report
