#include "parsing/pattern.h"

#include <regex>

namespace parsing {
namespace {

groups groups_of(const std::smatch& found) { return {found.begin(), found.end()}; }

}  // namespace

struct pattern::compiled {
  std::regex expression;
};

pattern::pattern(const char* expression) : compiled_(new compiled{std::regex(expression)}) {}

pattern::~pattern() = default;

std::optional<groups> pattern::match(const std::string& text) const {
  std::smatch found;
  if (!std::regex_match(text, found, compiled_->expression)) return std::nullopt;
  return groups_of(found);
}

std::optional<groups> pattern::search(const std::string& text) const {
  std::smatch found;
  if (!std::regex_search(text, found, compiled_->expression)) return std::nullopt;
  return groups_of(found);
}

std::vector<groups> pattern::all_in(const std::string& text) const {
  std::vector<groups> all;
  for (std::sregex_iterator match(text.begin(), text.end(), compiled_->expression), end; match != end;
       ++match)
    all.push_back(groups_of(*match));
  return all;
}

std::string pattern::replaced(const std::string& text, const std::string& replacement) const {
  return std::regex_replace(text, compiled_->expression, replacement);
}

}  // namespace parsing
