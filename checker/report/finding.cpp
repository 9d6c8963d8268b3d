#include "report/finding.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "report/wording/cause_sentences.h"
#include "report/wording/misuse_sentences.h"
#include "report/wording/names.h"
#include "report/wording/race_sentences.h"

namespace report {
namespace {

std::vector<source_place> in_files(const trace::recording& recording,
                                   const std::vector<trace::location>& places) {
  std::vector<source_place> result;
  for (const trace::location& place : places) {
    if (recording.files.at(place.file).is_external) continue;
    const auto in_file = [&](const trace::location& line) {
      return source_place{recording.files.at(line.file).path, line.line};
    };
    const source_place found = in_file(place);
    auto known = std::find_if(result.begin(), result.end(), [&](const source_place& one) {
      return one.file == found.file && one.line == found.line;
    });
    std::vector<source_place> chain;
    for (const trace::location& line : recording.callers_of(place)) chain.push_back(in_file(line));
    if (known == result.end()) {
      known = result.insert(known, found);
      known->called_from = chain;
      known->is_chain = chain.size() > 1;
    }
    if (chain == known->called_from) continue;
    known->is_chain = false;
    for (const source_place& caller : chain) {
      std::vector<source_place>& callers = known->called_from;
      if (std::find(callers.begin(), callers.end(), caller) == callers.end()) callers.push_back(caller);
    }
  }
  return result;
}

finding finding_of(const trace::recording& recording, const analysis::race_diagnosis& race) {
  std::string message = race_sentences(recording, race);
  if (race.cause.pairs > 1) {
    message += fmt::format(" {} more {} the same cause.", race.cause.pairs - 1,
                           race.cause.pairs == 2 ? "pair has" : "pairs have");
  }
  return {finding_category::race, std::string(word_of(race.cause.kind)),
          std::string(title_of(race.cause.kind)), std::move(message), in_files(recording, race.places)};
}

finding finding_of(const trace::recording& recording, const analysis::misuse& misuse) {
  return {finding_category::misuse, std::string(rule_of(recording, misuse)),
          std::string(title_of(recording, misuse)), misuse_sentences(recording, misuse),
          in_files(recording, places_of(recording, misuse))};
}

finding finding_of(const trace::recording& recording, const explain::cause_cost& cause) {
  finding result{finding_category::no_overlap,
                 std::string(word_of(cause.cause)),
                 "Work does not overlap: " + std::string(heading_of(cause.cause)),
                 sentence_of(recording, cause) + " " + cure_of(recording, cause),
                 {}};
  if (cause.where.is_known()) result.places = in_files(recording, {cause.where});
  return result;
}

}  // namespace

std::string_view name_of(finding_category category) {
  static constexpr std::string_view names[] = {"race", "misuse", "no-overlap"};
  static_assert(std::size(names) == finding_categories.size());
  return names[static_cast<int>(category)];
}

std::vector<standing> standings_of(const trace::recording& recording) {
  std::vector<standing> result;
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind == trace::diagnostic_kind::host_thread_stood)
      result.push_back({as_sentence(note.message), in_files(recording, {note.where})});
  }
  return result;
}

std::vector<finding> findings_of(const trace::recording& recording, const analysis::mistakes& mistakes,
                                 const explain::explanation* explanation) {
  std::vector<finding> findings;
  if (mistakes.races) {
    for (const analysis::race_diagnosis& race : *mistakes.races)
      findings.push_back(finding_of(recording, race));
  }
  for (const analysis::misuse& misuse : mistakes.misuse) findings.push_back(finding_of(recording, misuse));
  if (explanation == nullptr || !explanation->is_replayed) return findings;
  for (const explain::cause_cost& cause : explanation->causes) {
    if (cause.cost * 10 < explanation->took) break;
    findings.push_back(finding_of(recording, cause));
  }
  return findings;
}

}  // namespace report
