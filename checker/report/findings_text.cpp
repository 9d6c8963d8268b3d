#include "report/findings_text.h"

#include <fmt/format.h>

#include <map>

#include "report/text_layout.h"
#include "report/wording/place_text.h"

namespace report {
namespace {

std::string places_in_words(const std::vector<source_place>& places) {
  std::string text;
  for (const source_place& place : places) text += (text.empty() ? "" : ", ") + place_with_callers(place);
  return text;
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

}  // namespace report
