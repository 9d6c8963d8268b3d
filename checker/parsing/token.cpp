#include "parsing/token.h"

#include <algorithm>
#include <cctype>

namespace parsing {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Walks over the text once; `position` is always the next byte nobody has looked at.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {
    list_.text = text;
    list_.files.push_back({"\"\"", false, false});
    list_.tokens.reserve(text.size() / 8);
  }

  token_list read() {
    while (position_ < text_.size()) step();
    pair_brackets();
    return std::move(list_);
  }

 private:
  char character(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  void step() {
    const char c = text_[position_];
    if (c == '\n') {
      new_line();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++position_;
    } else if (c == '#' && at_line_start_) {
      directive();
    } else if (c == '/' && character(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && character(position_ + 1) == '*') {
      skip_over(text_.find("*/", position_ + 2), 2);
    } else {
      at_line_start_ = false;
      read_token(c);
    }
  }

  void new_line() {
    ++position_;
    ++line_;
    line_begin_ = position_;
    at_line_start_ = true;
  }

  /// Moves to `length` bytes behind `found` (or to the end), counting the lines on the way.
  void skip_over(std::size_t found, std::size_t length) {
    const std::size_t end = found == std::string_view::npos ? text_.size() : found + length;
    for (; position_ < end; ++position_) {
      if (text_[position_] == '\n') {
        ++line_;
        line_begin_ = position_ + 1;
      }
    }
  }

  /// A line marker (`# 12 "file" 1 3`, `#line 12 "file"`) moves the place; any other directive is passed over.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view line = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end;
    const auto skip_blanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_blanks();
    if (line.substr(0, 5) == "line ") line.remove_prefix(5);
    skip_blanks();
    int number = 0;
    std::size_t digits = 0;
    for (; digits < line.size() && is_digit(line[digits]); ++digits)
      number = number * 10 + (line[digits] - '0');
    if (digits == 0) return;
    line_ = number - 1;
    line.remove_prefix(digits);
    skip_blanks();
    if (line.empty() || line[0] != '"') return;
    const std::size_t quote = line.rfind('"');
    const std::string_view flags = line.substr(quote + 1);
    enter({std::string(line.substr(0, quote + 1)), flags.find('3') != flags.npos,
           flags.find('4') != flags.npos});
  }

  void enter(source_file file) {
    const auto known = std::find(list_.files.begin(), list_.files.end(), file);
    file_ = static_cast<int>(known - list_.files.begin());
    if (known == list_.files.end()) list_.files.push_back(std::move(file));
  }

  void read_token(char c) {
    const std::size_t begin = position_;
    const int line = line_;
    const int column = static_cast<int>(begin - line_begin_) + 1;
    token_kind kind = token_kind::punctuation;
    if (starts_word(c)) {
      kind = word();
    } else if (is_digit(c) || (c == '.' && is_digit(character(begin + 1)))) {
      kind = token_kind::number;
      number();
    } else if (c == '"' || c == '\'') {
      kind = token_kind::quoted;
      quoted(c);
    } else if ((c == ':' && character(begin + 1) == ':') || (c == '-' && character(begin + 1) == '>')) {
      position_ += 2;
    } else if (c == '.' && character(begin + 1) == '.' && character(begin + 2) == '.') {
      position_ += 3;
    } else {
      ++position_;
    }
    list_.tokens.push_back({kind, text_.substr(begin, position_ - begin), begin, file_, line, column, line});
  }

  token_kind word() {
    const std::size_t begin = position_;
    while (continues_word(character(position_))) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    const char next = character(position_);
    const bool is_prefix = word == "L" || word == "u" || word == "U" || word == "u8";
    if (is_prefix && (next == '"' || next == '\'')) {
      quoted(next);
      return token_kind::quoted;
    }
    if (next == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) {
      raw_string();
      return token_kind::quoted;
    }
    return token_kind::identifier;
  }

  void number() {
    for (; position_ < text_.size(); ++position_) {
      const char c = character(position_);
      const char before = character(position_ - 1);
      const bool is_exponent_sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool is_separator = c == '\'' && continues_word(character(position_ + 1));
      if (!continues_word(c) && c != '.' && !is_exponent_sign && !is_separator) return;
    }
  }

  void quoted(char quote) {
    for (++position_; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '\n') return;  // not closed: the compiler will say so
      if (c == '\\' && character(position_ + 1) != '\n') {
        ++position_;
      } else if (c == quote) {
        ++position_;
        return;
      }
    }
  }

  void raw_string() {
    const std::size_t open = text_.find('(', position_);
    if (open == std::string_view::npos) return quoted('"');
    std::string closing = ")";
    closing += text_.substr(position_ + 1, open - position_ - 1);
    closing += '"';
    skip_over(text_.find(closing, open), closing.size());
  }

  void pair_brackets() {
    list_.partners.assign(list_.tokens.size(), token_list::no_token);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < list_.tokens.size(); ++i) {
      if (list_.tokens[i].kind != token_kind::punctuation) continue;
      const char c = list_.tokens[i].text[0];
      if (c == '(' || c == '[' || c == '{') open.push_back(i);
      const char opening = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '\0';
      // A forgotten ')' must not unpair the braces around it.
      while (c == '}' && !open.empty() && !list_.tokens[open.back()].is("{")) open.pop_back();
      if (opening == '\0' || open.empty() || list_.tokens[open.back()].text[0] != opening) continue;
      list_.partners[i] = open.back();
      list_.partners[open.back()] = i;
      open.pop_back();
    }
  }

  std::string_view text_;
  token_list list_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int file_ = 0;
  bool at_line_start_ = true;
};

}  // namespace

std::string source_file::name() const {
  std::string plain;
  for (std::size_t i = 1; i + 1 < quoted_name.size(); ++i) {
    if (quoted_name[i] == '\\' && i + 2 < quoted_name.size()) ++i;
    plain += quoted_name[i];
  }
  return plain;
}

token_list read_tokens(std::string_view text) { return reader(text).read(); }

}  // namespace parsing
