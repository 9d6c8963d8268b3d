// pattern.h: regular expressions, in the grammar of ECMAScript.
//
// The one place that includes <regex>, which takes seconds to compile wherever it is used.
//
//     static const parsing::pattern place(R"(([^:]+):(\d+))");
//     if (const auto found = place.match(line)) use(found->at(1));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parsing {

/// What a pattern found: the whole match, then each group; "" for a group that took no part in it.
using groups = std::vector<std::string>;

/// A regular expression.
class pattern {
 public:
  /// Throws std::regex_error when it is none, which is our mistake.
  explicit pattern(const char* expression);
  ~pattern();
  pattern(const pattern&) = delete;
  pattern& operator=(const pattern&) = delete;

  /// What it finds when it is the form of the whole text.
  std::optional<groups> match(const std::string& text) const;
  /// The first place of the text that has its form.
  std::optional<groups> search(const std::string& text) const;
  /// All places that have its form, which do not overlap.
  std::vector<groups> all_in(const std::string& text) const;
  /// The text with `replacement` in all these places.
  std::string replaced(const std::string& text, const std::string& replacement) const;

 private:
  struct compiled;
  std::unique_ptr<const compiled> compiled_;
};

}  // namespace parsing
