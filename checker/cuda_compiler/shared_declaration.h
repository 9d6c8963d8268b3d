// shared_declaration.h: one declaration of __shared__ variables, taken apart.
//
// Not here: whether it is allowed where it stands (constructs.h), and what it becomes (translator.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cuda_compiler/navigator.h"

namespace cuda_compiler {

/// One variable of a declaration, as token indices.
struct shared_declarator {
  std::size_t begin;
  std::size_t end;   ///< last token
  std::size_t name;  ///< its identifier
};

/// `__shared__ T a[N], b;` or `extern __shared__ T name[];`.
struct shared_declaration {
  std::size_t begin;    ///< first token, possibly `extern` or `static`
  std::size_t end;      ///< ';'
  bool is_dynamic;      ///< extern __shared__: its size comes with the launch
  bool is_in_function;  ///< and not at the top of the file, where only dynamic ones may be
  std::vector<std::size_t>
      dropped;  ///< `extern`, `static`, __shared__ itself; for dynamic ones alignment words too
  std::vector<shared_declarator> declarators;  ///< separated by commas
};

/// Reads the declaration around the word __shared__; nothing when it has no end. `is_in_function` is left false.
std::optional<shared_declaration> read_shared_declaration(const navigator& tokens, std::size_t word);

}  // namespace cuda_compiler
