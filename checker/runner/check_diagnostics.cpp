#include "runner/check_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "report/text_layout.h"
#include "runner/learner/lesson_outcome.h"

namespace runner {
namespace {

std::string in_one_line(std::string text) {
  text = report::escaped(text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "lessons/03_async_copy/async_copy.cu:41" from "async_copy.cu:41".
std::string with_folder(const report::result& result, const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const std::string file = place.substr(0, colon);
  const bool is_source = file == std::filesystem::path(result.source).filename();
  return (is_source ? result.source : file) + place.substr(colon);
}

/// An error at the first place, and a note at each further one, as compilers give them.
std::string lines_of(const report::result& result, std::string_view name, const report::evidence& why) {
  const std::vector<std::string> places = report::places_in(why);
  const std::string first = places.empty() ? result.source + ":1" : with_folder(result, places.front());
  std::string text = fmt::format("{}:1: error: {}", first, name);
  if (!why.required.empty()) text += ": required: " + in_one_line(why.required);
  if (!why.observation.empty()) text += " seen: " + in_one_line(why.observation);
  text += "\n";
  for (const std::string& place : places) {
    for (const std::string& caller : report::callers_of_place(why, place))
      text += fmt::format("{}:1: note: {}: called from here\n", with_folder(result, caller), name);
  }
  for (std::size_t i = 1; i < places.size(); ++i)
    text += fmt::format("{}:1: note: {}: see here too\n", with_folder(result, places[i]), name);
  return text;
}

}  // namespace

std::string check_diagnostics(const report::result& result) {
  std::string text = report::escaped(result.compiler_output);
  if (!text.empty() && text.back() != '\n') text += "\n";
  if (result.verdict == report::run_verdict::pass || result.verdict == report::run_verdict::compile_error)
    return text;
  bool has_criterion = false;
  for (const report::criterion_result& criterion : result.criteria) {
    if (criterion.verdict != report::criterion_verdict::fail) continue;
    text += lines_of(result, criterion.name, criterion.why);
    has_criterion = true;
  }
  return has_criterion ? text : text + lines_of(result, report::words_of(result.verdict), result.why);
}

}  // namespace runner
