#include "cuda_compiler/declarations.h"

#include <algorithm>
#include <array>

namespace cuda_compiler {

std::vector<declared_item> declaration_reader::declarations(std::size_t begin, std::size_t end) const {
  std::vector<declared_item> found;
  for (std::size_t i = begin; i < end;) {
    found.push_back(declaration_at(i, end));
    i = found.back().end;
  }
  return found;
}

bool declaration_reader::has(std::size_t begin, std::size_t end, std::string_view word) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens_[i].is(word)) return true;
  }
  return false;
}

side declaration_reader::side_of(const declared_item& one) const {
  const std::size_t head = std::min(one.open, one.end);
  const bool is_of_device = has(one.begin, head, "__device__") || has(one.begin, head, "__global__");
  if (!is_of_device) return side::host;
  return has(one.begin, head, "__host__") ? side::both : side::device;
}

bool declaration_reader::is_constant_expression(const declared_item& one) const {
  const std::size_t head = std::min(one.open, one.end);
  return has(one.begin, head, "constexpr") || has(one.begin, head, "consteval");
}

declared_item declaration_reader::declaration_at(std::size_t begin, std::size_t end) const {
  static constexpr std::array<std::string_view, 4> classes{"class", "struct", "union", "enum"};
  declared_item one{begin, end};
  bool is_class = false, has_parameters = false, has_value = false;
  for (std::size_t i = begin; i < end; ++i) {
    if (is(i, "template") && is(i + 1, "<")) {
      if (const std::size_t behind = behind_angle(i + 1); behind != none) i = behind - 1;
      continue;
    }
    if (is(i, ";")) {
      one.end = i + 1;
      return one;
    }
    if (is(i, "=") && !is(i - 1, "operator")) has_value = true;
    if (is(i, "(") && !has_value && i > begin && !is_attribute(i - 1)) has_parameters = true;
    if (is_one_of(at(i), classes)) is_class = true;
    if (is(i, "{") && partner(i) != none && partner(i) < end) {
      const bool is_type = is_class && !has_parameters;
      const bool is_block = is(begin, "namespace") || (is(begin, "inline") && is(begin + 1, "namespace")) ||
                            is(begin, "extern");
      if (!has_value && one.open == none && (is_type || has_parameters || is_block)) {
        one.open = i;
        one.is_container = is_type || (is_block && !has_parameters);
        if (!is_type) {
          one.end = partner(i) + 1;
          return one;
        }
      }
    }
    i = group_end(i);
  }
  return one;
}

bool declaration_reader::is_attribute(std::size_t i) const {
  static constexpr std::array<std::string_view, 6> words{"__attribute__",     "alignas",  "__align__",
                                                         "__launch_bounds__", "decltype", "noexcept"};
  return is_one_of(at(i), words);
}

}  // namespace cuda_compiler
