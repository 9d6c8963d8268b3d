// finding.h: races, misuse and missing overlap of a run as one list of findings.
//
// Not here: the views (findings_text.h, findings_json.h, annotations.h).
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

/// The categories that `streamlings run --fail-on` takes.
enum class finding_category { race, misuse, no_overlap };
inline constexpr std::array finding_categories{finding_category::race, finding_category::misuse,
                                               finding_category::no_overlap};

/// "race", "misuse", "no-overlap".
std::string_view name_of(finding_category category);

/// A line of a source file, 1-based.
struct source_place {
  std::string file;  ///< absolute path
  std::uint32_t line = 0;
  std::vector<source_place> called_from{};  ///< the lines that called its function; none: not known
  bool is_chain = false;  ///< of called_from: each line is in a function that the next one calls
  bool operator==(const source_place&) const = default;
};

/// One defect of a program, in words.
struct finding {
  finding_category category = finding_category::race;
  std::string rule;                  ///< a stable word: "unordered_accesses", "memory_leak", ...
  std::string title;                 ///< "Result read before it is ready"
  std::string message;               ///< what happened, why, and what to do
  std::vector<source_place> places;  ///< the line to change first; empty when no line is known
  bool operator==(const finding&) const = default;
};

/// Where a thread of the host or of a kernel was when the run was ended, in words.
struct standing {
  std::string message;               ///< "Host thread 1 waits in cudaDeviceSynchronize."
  std::vector<source_place> places;  ///< one; empty when no line is known
  bool operator==(const standing&) const = default;
};

/// Empty for a run that came to its end.
std::vector<standing> standings_of(const trace::recording& recording);

/// Races first, one for each cause. Then misuse in the order of the calls. Then the causes of missing overlap that cost
/// at least a tenth of the time, the most expensive first; none when `explanation` is null or not replayed.
std::vector<finding> findings_of(const trace::recording& recording, const analysis::mistakes& mistakes,
                                 const explain::explanation* explanation = nullptr);

}  // namespace report
