#include "runner/check_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "report/text_layout.h"
#include "runner/learner/lesson_outcome.h"

namespace runner {
namespace {

std::string in_one_line(std::string text) {
  text = report::escaped(text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "lessons/03_async_copy/async_copy.cu:41" from "async_copy.cu:41" or "".
std::string place_of(const report::result& result, const report::evidence& why) {
  const std::size_t colon = why.where.rfind(':');
  if (colon == std::string::npos) return result.source + ":1";
  const std::string file = why.where.substr(0, colon);
  const bool is_source = file == std::filesystem::path(result.source).filename();
  return (is_source ? result.source : file) + why.where.substr(colon);
}

std::string line_of(const report::result& result, std::string_view name, const report::evidence& why) {
  std::string line = fmt::format("{}:1: error: {}", place_of(result, why), name);
  if (!why.required.empty()) line += ": required: " + in_one_line(why.required);
  if (!why.observation.empty()) line += " seen: " + in_one_line(why.observation);
  return line + "\n";
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
    text += line_of(result, criterion.name, criterion.why);
    has_criterion = true;
  }
  return has_criterion ? text : text + line_of(result, report::words_of(result.verdict), result.why);
}

}  // namespace runner
