// finding.h: what is wrong with a program, as a list for any view: text, JSON, annotations.
//
// What lives here: one finding, and how races, misuse and missing overlap become findings. Not here: the
// views (findings_text.h, findings_json.h, annotations.h).
//
//     const auto mistakes = analysis::mistakes_in(recording, analysis::program_end::by_itself);
//     for (const report::finding& finding : report::findings_of(recording, mistakes)) ...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mistakes.h"
#include "explain/explain.h"
#include "trace/recording.h"

namespace report {

/// What a program can be made to fail for (`streamlings run --fail-on`).
enum class finding_category { race, misuse, no_overlap };
/// All of them.
inline constexpr std::array finding_categories{finding_category::race, finding_category::misuse,
                                               finding_category::no_overlap};

/// "race", "misuse", "no-overlap".
std::string_view name_of(finding_category category);

/// A line of a source file, 1-based.
struct source_place {
  std::string file;        ///< with its whole path
  std::uint32_t line = 0;  ///< from 1
  bool operator==(const source_place&) const = default;
};

/// What is wrong, in words.
struct finding {
  finding_category category = finding_category::race;  ///< what --fail-on calls it
  std::string rule;                  ///< a stable word: "unordered_accesses", "memory_leak", ...
  std::string title;                 ///< a few words for people: "Result read before it is ready"
  std::string message;               ///< what was seen, why, and what to do
  std::vector<source_place> places;  ///< the most telling first; empty when no line is known
  bool operator==(const finding&) const = default;
};

/// Races first, one a cause, then misuse in the order of the calls, then the causes that keep work from
/// overlapping and cost at least a tenth of the time, the most expensive first: none when `explanation` is null or
/// not replayed.
std::vector<finding> findings_of(const trace::recording& recording, const analysis::mistakes& mistakes,
                                 const explain::explanation* explanation = nullptr);

}  // namespace report
