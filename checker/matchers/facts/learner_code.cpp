#include "matchers/facts/learner_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace matchers {

namespace {

constexpr const char* blanks = " \t\r\n";

bool is_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The text with blanks in place of its comments and of what its strings and characters hold.
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

std::string line_at(const learner_source& source, std::size_t place) {
  const auto begin = source.text.begin();
  return fmt::format("{}:{}", source.file_name,
                     1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(place), '\n'));
}

/// The places of that word from there on.
std::size_t find_word(const std::string& text, std::string_view word, std::size_t begin) {
  for (std::size_t i = text.find(word, begin); i != std::string::npos; i = text.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    if ((i == 0 || !is_of_word(text[i - 1])) && (end == text.size() || !is_of_word(text[end]))) return i;
  }
  return std::string::npos;
}

/// Where the parenthesis that opens there is closed; npos when it is not.
std::size_t closing_of(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string::npos;
}

/// The identifier that ends before that place; "" when there is none.
std::string word_before(const std::string& text, std::size_t place) {
  const std::size_t last = place == 0 ? std::string::npos : text.find_last_not_of(blanks, place - 1);
  if (last == std::string::npos || !is_of_word(text[last])) return "";
  std::size_t first = last;
  while (first > 0 && is_of_word(text[first - 1])) --first;
  return text.substr(first, last + 1 - first);
}

/// Whether the brace opens statements, and not a namespace, a class or values.
bool opens_statements(const std::string& text, std::size_t brace) {
  const std::size_t last = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  if (last == std::string::npos) return false;
  constexpr std::array before_body{"const", "noexcept", "mutable", "else", "do", "try"};
  const std::string word = word_before(text, brace);
  return std::string_view(");{}").find(text[last]) != std::string::npos ||
         std::find(before_body.begin(), before_body.end(), word) != before_body.end();
}

/// Whether the innermost open brace in front of that place opens statements.
bool is_among_statements(const std::string& text, std::size_t place) {
  int depth = 0;
  for (std::size_t i = place; i > 0; --i) {
    if (text[i - 1] == '}') ++depth;
    if (text[i - 1] == '{' && --depth < 0) return opens_statements(text, i - 1);
  }
  return false;
}

/// Whether the brace opens a namespace, or a block of declarations with C names.
bool opens_namespace(const std::string& text, std::size_t brace) {
  const std::size_t begin = brace == 0 ? std::string::npos : text.find_last_of(";{}", brace - 1);
  const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
  const std::string head = text.substr(first, brace - first);
  const bool is_of_linkage =
      find_word(head, "extern", 0) != std::string::npos && head.find('"') != std::string::npos;
  return find_word(head, "namespace", 0) != std::string::npos || is_of_linkage;
}

/// Where the brace that opens there is closed; the end of the text when it is not.
std::size_t end_of_braces(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

/// The name of the variable that a declaration of the file defines; "" when it defines none, or a constant.
std::string variable_of(const std::string& declaration) {
  for (const char* const word : {"using", "typedef", "struct", "class", "enum", "union", "template",
                                 "namespace", "static_assert", "extern", "constexpr", "const", "__constant__",
                                 "mutex", "recursive_mutex", "condition_variable", "operator"}) {
    if (find_word(declaration, word, 0) != std::string::npos) return "";
  }
  const std::size_t end = declaration.find_first_of(";=({[");
  if (end == std::string::npos || declaration[end] == '(') return "";
  const std::string name = word_before(declaration, end);
  const std::size_t begin = declaration.find_first_not_of(blanks);
  return name.empty() || declaration.compare(begin, name.size() + 1, name + declaration[end]) == 0 ? ""
                                                                                                   : name;
}

/// Calls visit(begin, end) for each declaration of the file that ends with a semicolon.
template <typename Visit>
void for_each_declaration(const std::string& text, Visit visit) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && text.find_first_not_of(blanks, text.find_last_of('\n', i) + 1) == i) {
      i = std::min(text.find('\n', i), text.size());
      begin = i;
    } else if (text[i] == ';') {
      visit(begin, i + 1);
      begin = i + 1;
    } else if (text[i] == '}') {
      begin = i + 1;
    } else if (text[i] == '{') {
      const bool holds_declarations = opens_namespace(text, i);
      const bool holds_statements = opens_statements(text, i);
      if (!holds_declarations) i = end_of_braces(text, i);
      if (holds_declarations || holds_statements) begin = i + 1;
    }
  }
}

}  // namespace

std::string line_of_definition(const learner_source& source, std::string_view function) {
  const std::string text = code_of(source.text);
  for (std::size_t name = find_word(text, function, 0); name != std::string::npos;
       name = find_word(text, function, name + 1)) {
    const std::size_t open = text.find_first_not_of(blanks, name + function.size());
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t close = closing_of(text, open);
    if (close == std::string::npos) return "";
    const std::size_t body = text.find_first_not_of(blanks, close + 1);
    if (body != std::string::npos && text[body] == '{') return line_at(source, name);
  }
  return "";
}

std::vector<kept_variable> kept_variables(const learner_source& source) {
  const std::string text = code_of(source.text);
  std::vector<kept_variable> found;
  for_each_declaration(text, [&](std::size_t begin, std::size_t end) {
    const std::string name = variable_of(text.substr(begin, end - begin));
    if (!name.empty()) found.push_back({name, line_at(source, text.find_first_not_of(blanks, begin))});
  });
  for (std::size_t place = find_word(text, "static", 0); place != std::string::npos;
       place = find_word(text, "static", place + 1)) {
    if (!is_among_statements(text, place)) continue;
    const std::size_t end = text.find_first_of(";=({[", place);
    if (end == std::string::npos) break;
    if (find_word(text.substr(0, end), "constexpr", place) != std::string::npos) continue;
    const std::string name = word_before(text, end);
    if (!name.empty()) found.push_back({name, line_at(source, place)});
  }
  return found;
}

void name_kept_variables(const learner_source& source, first_call first, report::evidence& why) {
  const std::vector<kept_variable> kept = kept_variables(source);
  if (kept.empty()) return;
  if (first == first_call::right) why.observation += " It was not so in the first call of your function.";
  std::string names;
  for (const kept_variable& variable : kept) {
    names += fmt::format("{}`{}` ({})", names.empty() ? "" : ", ", variable.name, variable.where);
    if (why.where.find(variable.where) == std::string::npos)
      why.where += (why.where.empty() ? "" : ", ") + variable.where;
  }
  why.observation += fmt::format(" What keeps its value from call to call: {}.", names);
}

}  // namespace matchers
