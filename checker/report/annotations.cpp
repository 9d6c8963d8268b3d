#include "report/annotations.h"

#include <fmt/format.h>

#include "report/wording/place_text.h"

namespace report {
namespace {

/// A value of a workflow command: what would end it is written as a code.
std::string command_value(std::string_view text, std::string_view beside = "") {
  std::string result;
  for (const char c : text) {
    const bool must_go = c == '%' || c == '\r' || c == '\n' || beside.find(c) != std::string_view::npos;
    result += must_go ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string property(std::string_view text) { return command_value(text, ":,"); }

}  // namespace

std::string annotation(const finding& finding, annotation_level level, const std::filesystem::path& root) {
  std::string place, message = finding.message;
  if (!finding.places.empty()) {
    place = fmt::format(
        "file={},line={},",
        property(std::filesystem::path(finding.places.front().file).lexically_proximate(root).string()),
        finding.places.front().line);
    const std::string callers = callers_sentence(finding.places.front());
    if (!callers.empty()) message += ' ' + callers;
  }
  return fmt::format("::{} {}title={}::{}\n", level == annotation_level::error ? "error" : "warning", place,
                     property(fmt::format("{}: {}", name_of(finding.category), finding.title)),
                     command_value(message));
}

}  // namespace report
