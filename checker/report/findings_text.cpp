#include "report/findings_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>

#include "report/text_layout.h"
#include "report/wording/place_text.h"

namespace report {
namespace {

std::string places_in_words(const std::vector<source_place>& places) {
  std::string text;
  for (const source_place& place : places) text += (text.empty() ? "" : ", ") + place_with_callers(place);
  return text;
}

std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

std::string findings_text(const std::vector<finding>& findings, int width) {
  std::string text;
  std::map<finding_category, int> counts;
  for (const finding& finding : findings) {
    if (++counts[finding.category] > max_findings_of_category) continue;
    text += hanging("", fmt::format("{}: {}", name_of(finding.category), finding.title), width);
    if (!finding.places.empty()) text += hanging("  ", places_in_words(finding.places), width);
    text += hanging("  ", finding.message, width) + "\n";
  }
  for (const auto& [category, count] : counts) {
    if (count > max_findings_of_category)
      text += fmt::format("and {} more of the category {}.\n", count - max_findings_of_category,
                          name_of(category));
  }
  return text;
}

std::string nothing_found_text(const trace::recording& recording, const analysis::mistakes& mistakes,
                               analysis::program_end end) {
  const bool looks_for_leaks = end == analysis::program_end::by_itself;
  std::string text = mistakes.races ? "no race between operations" : "";
  text += text.empty() ? "no misuse" : looks_for_leaks ? ", no misuse" : " and no misuse";
  text +=
      fmt::format("{} found in {} and {}.", looks_for_leaks ? " and no leak" : "",
                  counted(recording.calls.size(), "call"), counted(recording.operations.size(), "operation"));
  if (!mistakes.races) text += " Races could not be looked for: not all accesses are known.";
  if (!looks_for_leaks) text += " Leaks were not looked for: the program did not end with status 0.";
  return text;
}

}  // namespace report
