// declarations.h: the declarations of a namespace or a class as ranges of tokens, and what runs a function.
//
// Not here: what they mean for CUDA (constructs.h).
//
//     declaration_reader tokens(list);
//     for (const declared_item& one : tokens.declarations(0, tokens.size())) use(tokens.side_of(one));
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cuda_compiler/navigator.h"

namespace cuda_compiler {

/// Tokens of one declaration of a namespace or a class: [begin, end), with the '{' that ends its head.
struct declared_item {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t open = navigator::none;
  bool is_container = false;  ///< a namespace, a linkage block or a class
};

/// What runs a function, by the words of its head.
enum class side { host, device, both };

/// A view of a token list by its declarations.
class declaration_reader : public navigator {
 public:
  explicit declaration_reader(const parsing::token_list& source) : navigator(source) {}

  /// The declarations between two tokens, in their order.
  std::vector<declared_item> declarations(std::size_t begin, std::size_t end) const;
  /// Whether one of [begin, end) is spelled like that.
  bool has(std::size_t begin, std::size_t end, std::string_view word) const;
  /// What runs it.
  side side_of(const declared_item& one) const;
  /// Whether it is a function with a body.
  bool is_function(const declared_item& one) const {
    return one.open != navigator::none && !one.is_container;
  }
  /// constexpr or consteval.
  bool is_constant_expression(const declared_item& one) const;
  /// Whether a parenthesis behind the word is not that of parameters.
  bool is_attribute(std::size_t i) const;

 private:
  declared_item declaration_at(std::size_t begin, std::size_t end) const;
};

}  // namespace cuda_compiler
