#include "runner/value_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "processes/cannot_do.h"

namespace runner {
namespace {

constexpr std::size_t max_values = 1000;

std::optional<int> whole_number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<int> values_in(std::string_view text) {
  const auto refuse = [text] {
    throw processes::cannot_do(
        fmt::format("'{}' is no list of at most {} values: write 8, or 1,2,4, or 1..16.", text, max_values));
  };
  std::vector<int> values;
  for (std::string_view rest = text; !rest.empty() || text.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t dots = item.find("..");
    const std::optional<int> first = whole_number_in(item.substr(0, dots));
    const std::optional<int> last = dots == std::string_view::npos ? first : whole_number_in(item.substr(dots + 2));
    if (!first || !last || *last < *first) refuse();
    for (std::int64_t value = *first; value <= *last; ++value) {
      if (std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(static_cast<int>(value));
      if (values.size() > max_values) refuse();
    }
    if (item.size() == rest.size()) return values;
    rest.remove_prefix(item.size() + 1);
  }
  refuse();  // a comma at the end
  return values;
}

}  // namespace runner
