#include "report/wording/place_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "analysis/places.h"

namespace report {
namespace {

std::string alternatives(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string described(const source_place& place) {
  return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
}

std::vector<std::string> described(const std::vector<source_place>& places) {
  std::vector<std::string> lines;
  for (const source_place& place : places) lines.push_back(described(place));
  return lines;
}

std::string_view file_in(std::string_view place) { return place.substr(0, place.rfind(':')); }

}  // namespace

std::vector<std::string> callers_of(const trace::recording& recording, const trace::location& place) {
  std::vector<std::string> callers;
  for (const trace::location& caller : recording.callers_of(place))
    callers.push_back(recording.describe(caller));
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());  // of a recursion
  return callers;
}

std::string callers_in_words(const std::string& place, const std::vector<std::string>& callers,
                             bool is_chain) {
  const std::string_view file = file_in(place);
  const bool is_one_file = std::all_of(callers.begin(), callers.end(),
                                       [&](const std::string& caller) { return file_in(caller) == file; });
  std::vector<std::string> lines = callers;
  if (is_one_file) {
    for (std::string& line : lines) line.erase(0, file.size() + 1);
  }
  const std::string_view prefix = is_one_file ? "line " : "";
  if (is_chain)
    return fmt::format("called from {}{}", prefix,
                       fmt::join(lines, fmt::format(", and that from {}", prefix)));
  if (is_one_file) {
    std::sort(lines.begin(), lines.end(), [](const std::string& one, const std::string& other) {
      return std::stoi(one) < std::stoi(other);
    });
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }
  return fmt::format("called from {}{}", prefix, alternatives(lines));
}

std::string place_with_callers(const std::string& place, const std::vector<std::string>& callers,
                               bool is_chain) {
  return callers.empty() ? place : fmt::format("{} ({})", place, callers_in_words(place, callers, is_chain));
}

std::string place_with_callers(const trace::recording& recording, const trace::location& place) {
  return place_with_callers(recording.describe(place), callers_of(recording, place), true);
}

std::string place_with_callers(const source_place& place) {
  return place_with_callers(described(place), described(place.called_from), place.is_chain);
}

std::string place_and_callers(const trace::recording& recording, const trace::location& place) {
  const std::string described = recording.describe(place);
  const std::vector<std::string> callers = callers_of(recording, place);
  return callers.empty() ? described
                         : fmt::format("{}, {}", described, callers_in_words(described, callers, true));
}

std::string callers_sentence(const source_place& place) {
  return place.called_from.empty()
             ? ""
             : fmt::format("{} was {}.", described(place),
                           callers_in_words(described(place), described(place.called_from), place.is_chain));
}

std::string places_with_callers(const evidence& why) {
  std::vector<std::string> places;
  for (const std::string& place : places_in(why)) {
    const called_place* const called = called_place_of(why, place);
    places.push_back(called == nullptr ? place : place_with_callers(place, called->lines, called->is_chain));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

std::vector<std::string> values_in_words(const evidence& why) {
  std::vector<std::string> lines;
  const std::size_t width = why.values.empty() ? 0 : std::to_string(why.values.back().line).size();
  for (const source_line& value : why.values)
    lines.push_back(fmt::format("{:>{}}: {}", value.line, width, value.text));
  return lines;
}

void lead_to(evidence& why, const trace::recording& recording, const trace::location& place) {
  lead_to(why, recording, std::vector{place});
}

void lead_to(evidence& why, const trace::recording& recording, const trace::operation& operation) {
  lead_to(why, recording, analysis::place_of_operation(recording, operation.id));
}

void lead_to(evidence& why, const trace::recording& recording, const std::vector<trace::location>& places) {
  std::vector<std::string> lines;
  why.called_from.clear();
  for (const trace::location& place : places) {
    const std::string line = recording.describe(place);
    if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    add_callers(why, recording, place);
  }
  why.where = fmt::format("{}", fmt::join(lines, ", "));
}

void add_callers(evidence& why, const trace::recording& recording, const trace::location& place) {
  const std::string line = recording.describe(place);
  const std::vector<std::string> callers = callers_of(recording, place);
  if (line.empty() || callers.empty()) return;
  auto known = std::find_if(why.called_from.begin(), why.called_from.end(),
                            [&](const called_place& one) { return one.place == line; });
  if (known == why.called_from.end())
    known = why.called_from.insert(known, {line, callers, callers.size() > 1});
  if (callers == known->lines) return;
  known->is_chain = false;
  for (const std::string& caller : callers) {
    if (std::find(known->lines.begin(), known->lines.end(), caller) == known->lines.end())
      known->lines.push_back(caller);
  }
}

void add_callers_of_calls(evidence& why, const trace::recording& recording,
                          const std::vector<trace::call_id>& calls) {
  for (const std::string& place : places_in(why)) {
    if (!callers_of_place(why, place).empty()) continue;
    for (const trace::call_id call : calls) {
      const trace::location& where = recording.call_at(call).where;
      if (where.callers != 0 && recording.describe(where) == place) add_callers(why, recording, where);
    }
  }
}

}  // namespace report
