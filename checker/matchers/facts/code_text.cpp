#include "matchers/facts/code_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace matchers {

bool is_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string code_of(std::string text) {
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    return end;
  };
  const auto end_of = [&](std::string_view mark, std::size_t begin) {
    return std::min(text.find(mark, begin), text.size());
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = blank(i, end_of("\n", i));
    } else if (text.compare(i, 2, "/*") == 0) {
      i = blank(i, end_of("*/", i + 2) + 2);
    } else if (text[i] == '"' ||
               (text[i] == '\'' && (i == 0 || !is_of_word(text[i - 1])))) {  // no digit separator
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      i = blank(i + 1, end);
    }
  }
  return text;
}

std::size_t begin_of_code(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int number = 1; number < line; ++number) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return begin;
    ++begin;
  }
  return text.find_first_not_of(" \t", begin);
}

int number_of_line(const std::string& text, std::size_t place) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

std::size_t find_word(const std::string& text, std::string_view word, std::size_t begin) {
  for (std::size_t i = text.find(word, begin); i != std::string::npos; i = text.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    if ((i == 0 || !is_of_word(text[i - 1])) && (end == text.size() || !is_of_word(text[end]))) return i;
  }
  return std::string::npos;
}

std::size_t closing_of(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string::npos;
}

std::string word_before(const std::string& text, std::size_t place) {
  const std::size_t last = place == 0 ? std::string::npos : text.find_last_not_of(blanks, place - 1);
  if (last == std::string::npos || !is_of_word(text[last])) return "";
  std::size_t first = last;
  while (first > 0 && is_of_word(text[first - 1])) --first;
  return text.substr(first, last + 1 - first);
}

bool opens_statements(const std::string& text, std::size_t brace) {
  const std::size_t last = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  if (last == std::string::npos) return false;
  constexpr std::array before_body{"const", "noexcept", "mutable", "else", "do", "try"};
  const std::string word = word_before(text, brace);
  return std::string_view(");{}").find(text[last]) != std::string::npos ||
         std::find(before_body.begin(), before_body.end(), word) != before_body.end();
}

std::size_t opening_of(const std::string& text, std::size_t close, char open) {
  int depth = 0;
  for (std::size_t i = close + 1; i > 0; --i) {
    if (text[i - 1] == text[close]) ++depth;
    if (text[i - 1] == open && --depth == 0) return i - 1;
  }
  return std::string::npos;
}

std::size_t opening_before(const std::string& text, std::size_t place, char open) {
  const char close = open == '(' ? ')' : '}';
  int depth = 0;
  for (std::size_t i = place; i > 0; --i) {
    if (text[i - 1] == close) ++depth;
    if (text[i - 1] == open && --depth < 0) return i - 1;
  }
  return std::string::npos;
}

std::size_t end_of_braces(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

}  // namespace matchers
