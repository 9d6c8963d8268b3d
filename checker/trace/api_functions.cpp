#include "trace/api_functions.h"

#include <algorithm>
#include <iterator>

namespace trace {
namespace {

constexpr api_function_traits table[] = {
    {},
#define FUNCTION(function, ...) {.name = #function __VA_OPT__(, ) __VA_ARGS__},
#include "trace/api_functions.inc"
#undef FUNCTION
};

}  // namespace

const api_function_traits& traits_of(api_function function) {
  return table[static_cast<std::size_t>(function)];
}

std::size_t api_function_count() { return std::size(table); }

api_function function_named(std::string_view name) {
  const auto found =
      std::lower_bound(std::begin(table), std::end(table), name,
                       [](const api_function_traits& row, std::string_view text) { return row.name < text; });
  const bool is_known = found != std::end(table) && found->name == name;
  return is_known ? static_cast<api_function>(found - std::begin(table)) : api_function::other;
}

}  // namespace trace
