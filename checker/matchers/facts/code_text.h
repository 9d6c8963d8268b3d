// code_text.h: words, brackets and statements in the text of a C++ file, which is not compiled.
//
//     const std::string text = code_of(source.text);
//     find_word(text, "static", 0);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchers {

inline constexpr const char* blanks = " \t\r\n";

/// True for what identifiers and numbers are made of.
bool is_of_word(char letter);

/// The text with blanks in place of its comments and of what its strings and characters hold.
std::string code_of(std::string text);

/// 1 for the first line.
int number_of_line(const std::string& text, std::size_t place);

/// Where the code of the line with that number, from 1, begins; npos when there is no such line.
std::size_t begin_of_code(const std::string& text, int line);

/// The first place of that word from there on; npos when there is none.
std::size_t find_word(const std::string& text, std::string_view word, std::size_t begin);

/// The identifier that ends before that place; "" when there is none.
std::string word_before(const std::string& text, std::size_t place);

/// Where the parenthesis that opens there is closed; npos when it is not.
std::size_t closing_of(const std::string& text, std::size_t open);

/// Where the bracket that is closed there opens; npos when it does not.
std::size_t opening_of(const std::string& text, std::size_t close, char open);

/// The innermost brace, or parenthesis, that is open there; npos when there is none.
std::size_t opening_before(const std::string& text, std::size_t place, char open = '{');

/// Where the brace that opens there is closed; the end of the text when it is not.
std::size_t end_of_braces(const std::string& text, std::size_t open);

/// Whether the brace opens statements, and not a namespace, a class or values.
bool opens_statements(const std::string& text, std::size_t brace);

}  // namespace matchers
