// statement_text.h: statements, names, scopes and functions in the text of a C++ file, and the arguments of CUDA's calls.
//
// Read as tokens, not compiled: what macros and templates hide is not found. Not here: words and brackets (code_text.h).
//
//     for_each_name(text, statement_at(text, place), [&](const std::string& name, std::size_t place, bool is_called) { ... });
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/facts/code_text.h"

namespace matchers {

/// From the begin of a piece of the text to its end.
struct text_piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The statement around that place; the head of a loop as a whole.
text_piece statement_at(const std::string& text, std::size_t place);

/// Whether the name that begins there is that of a member, or of something in a namespace or class.
bool is_member(const std::string& text, std::size_t name);

/// Calls visit(name, place, is_called) for each name in that piece that may be that of a variable or a function: no member that
/// is not called.
template <typename Visit>
void for_each_name(const std::string& text, text_piece piece, Visit visit) {
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    if (!is_of_word(text[i])) continue;
    const std::size_t begin = i;
    while (i < piece.end && is_of_word(text[i])) ++i;
    const std::size_t behind = text.find_first_not_of(blanks, i);
    const bool is_called = behind != std::string::npos && text[behind] == '(';
    const std::string word = text.substr(begin, i - begin);
    constexpr std::array no_names{"auto", "else", "return", "delete",
                                  "operator"};  // others are not followed by what gives a value
    const bool is_name = std::isdigit(static_cast<unsigned char>(text[begin])) == 0 &&
                         std::find(no_names.begin(), no_names.end(), word) == no_names.end();
    if (is_name && (is_called || !is_member(text, begin))) visit(word, begin, is_called);
  }
}

/// Whether the name is an argument of which the address is passed.
bool is_address_of(const std::string& text, std::size_t name);

/// Whether a type stands before the name, as in its definition.
bool has_type(const std::string& text, std::size_t name);

/// Whether the name that begins there is given a value: by a definition, an assignment, an exchange or a loop.
bool is_given_value(const std::string& text, std::size_t name, std::size_t length);

/// The piece of the body in which that name means what it means where it is used.
text_piece scope_at(const std::string& text, std::string_view name, std::size_t use, text_piece body);

/// A function or a lambda expression.
struct function_text {
  std::string name;  ///< "" for a lambda expression that is handed on at once
  std::vector<std::string> parameters;
  text_piece body;
};

/// The pieces between the commas of a list.
std::vector<text_piece> pieces_of(const std::string& text, text_piece list);

/// Whether the name that begins there is that of a member in the initializers of a constructor: `: name(`, `, name{`.
bool is_initializer(const std::string& text, std::size_t name, std::size_t length);

/// The function whose body the brace opens; nothing for other blocks.
std::optional<function_text> function_at(const std::string& text, std::size_t brace);

/// The functions around that place, the innermost first.
std::vector<function_text> functions_around(const std::string& text, std::size_t place);

/// The stream in a launch with four arguments or in an asynchronous call of CUDA; nothing in other statements.
std::optional<text_piece> stream_in(const std::string& text, text_piece statement);

/// The number of blocks in a launch; nothing in other statements.
std::optional<text_piece> blocks_in(const std::string& text, text_piece statement);

/// The number of bytes in a copy, an allocation or the like; nothing in other statements.
std::optional<text_piece> bytes_in(const std::string& text, text_piece statement);

}  // namespace matchers
