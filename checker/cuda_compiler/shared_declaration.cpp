#include "cuda_compiler/shared_declaration.h"

#include <array>
#include <string_view>

namespace cuda_compiler {
namespace {

constexpr std::array<std::string_view, 4> alignment_words = {"alignas", "__align__", "__attribute__",
                                                             "__attribute"};

bool is_statement_end(const navigator& tokens, std::size_t i) {
  return tokens.is(i, ";") || tokens.is(i, "{") || tokens.is(i, "}") || tokens.is(i, ":");
}

/// The name is the last word in front of array bounds, initialiser and attributes.
shared_declarator read_declarator(const navigator& tokens, std::size_t begin, std::size_t end) {
  shared_declarator declarator{begin, end, end};
  for (std::size_t k = begin; k <= end && !tokens.is(k, "=") && !tokens.is(k, "["); ++k) {
    if (is_one_of(tokens.at(k), alignment_words)) {
      k += tokens.group_length(k) - 1;
    } else if (tokens.is_word(k)) {
      declarator.name = k;
    } else if (tokens.is(k, "{")) {
      k = tokens.group_end(k);
    }
  }
  return declarator;
}

std::vector<shared_declarator> read_declarators(const navigator& tokens, std::size_t first, std::size_t end) {
  std::vector<shared_declarator> declarators;
  std::size_t begin = first;
  for (std::size_t k = first; k < end; ++k) {
    const bool is_template =
        tokens.is(k, "<") && tokens.is_word(k - 1) && tokens.behind_angle(k) != navigator::none;
    if (is_template) k = tokens.behind_angle(k) - 1;
    if (k < end && tokens.is(k, ",")) {
      declarators.push_back(read_declarator(tokens, begin, k - 1));
      begin = k + 1;
    }
    k = tokens.group_end(k);
  }
  declarators.push_back(read_declarator(tokens, begin, end - 1));
  // The first one begins with the type: its declarator begins where `*`, `(` or the name follow it.
  shared_declarator& typed = declarators.front();
  typed.begin = typed.name;
  while (typed.begin > first && (tokens.is(typed.begin - 1, "*") || tokens.is(typed.begin - 1, "(")))
    --typed.begin;
  return declarators;
}

}  // namespace

std::optional<shared_declaration> read_shared_declaration(const navigator& tokens, std::size_t word) {
  shared_declaration declared{word, navigator::none, false, false, {}, {}};
  while (declared.begin > 0 && !is_statement_end(tokens, declared.begin - 1)) {
    --declared.begin;
    if (tokens.is(declared.begin, ")") && tokens.partner(declared.begin) != navigator::none)
      declared.begin = tokens.partner(declared.begin);
  }
  for (std::size_t k = word; k < tokens.size() && declared.end == navigator::none; ++k) {
    if (tokens.is(k, ";")) declared.end = k;
    k = tokens.group_end(k);
  }
  if (declared.end == navigator::none) return std::nullopt;
  for (std::size_t k = declared.begin; k < declared.end; ++k) declared.is_dynamic |= tokens.is(k, "extern");
  for (std::size_t k = declared.begin; k < declared.end; ++k) {
    const bool is_storage = tokens.is(k, "extern") || tokens.is(k, "static") || tokens.is(k, "__shared__");
    const bool is_alignment = declared.is_dynamic && is_one_of(tokens.at(k), alignment_words);
    const std::size_t behind = is_storage ? k + 1 : is_alignment ? k + tokens.group_length(k) : k;
    for (; k < behind; ++k) declared.dropped.push_back(k);
    if (is_storage || is_alignment) --k;
  }
  declared.declarators = read_declarators(tokens, declared.begin, declared.end);
  return declared;
}

}  // namespace cuda_compiler
