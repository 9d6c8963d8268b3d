#include "cuda_compiler/columns.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace cuda_compiler {

using parsing::read_tokens;
using parsing::source_file;
using parsing::token;
using parsing::token_list;
namespace {

/// Bounds the cost of comparing lines: longer ones are compared by their common beginning only.
constexpr std::size_t max_comparisons = 1 << 20;
/// Bounds the search for a closing parenthesis.
constexpr int max_argument_lines = 100;

/// An original file as tokens, with where each line begins among them. The tokens point into `text`: it stays
/// in place.
struct original_file {
  explicit original_file(std::string content) : text(std::move(content)), list(read_tokens(text)) {
    for (std::size_t i = 0; i < list.tokens.size(); ++i) {
      while (first_of_line.size() <= static_cast<std::size_t>(list.tokens[i].line))
        first_of_line.push_back(i);
    }
  }
  original_file(const original_file&) = delete;

  const std::string text;
  token_list list;
  std::vector<std::size_t> first_of_line;  ///< index of the first token on line n or later
};

/// Tokens of the line `first`, and of the lines after it as long as a parenthesis is open: a macro's arguments.
std::vector<const token*> original_tokens(const original_file& file, int first) {
  std::vector<const token*> found;
  if (first < 1 || static_cast<std::size_t>(first) >= file.first_of_line.size()) return found;
  int depth = 0;
  int line = first;
  for (std::size_t i = file.first_of_line[first]; i < file.list.tokens.size(); ++i) {
    const token& t = file.list.tokens[i];
    if (t.line != line && (depth <= 0 || t.line > first + max_argument_lines)) break;
    line = t.line;
    if (t.is("(")) ++depth;
    if (t.is(")")) --depth;
    found.push_back(&t);
  }
  return found;
}

void take_place(token& to, const token& from) {
  to.line = from.line;
  to.column = from.column;
}

/// Matches the longest common subsequence of [begin, end) and `original`; what is left over gets column 0.
void match(std::vector<token>& tokens, std::size_t begin, std::size_t end,
           const std::vector<const token*>& original) {
  std::size_t j = 0;
  for (; begin < end && j < original.size() && tokens[begin].text == original[j]->text; ++begin, ++j) {
    take_place(tokens[begin], *original[j]);
  }
  const std::size_t rows = end - begin;
  const std::size_t width = original.size() - j + 1;
  const bool is_too_long = rows * width > max_comparisons;
  std::vector<int> common(is_too_long ? 0 : (rows + 1) * width);
  for (std::size_t a = is_too_long ? 0 : rows; a-- > 0;) {
    for (std::size_t b = width - 1; b-- > 0;) {
      common[a * width + b] = tokens[begin + a].text == original[j + b]->text
                                  ? common[(a + 1) * width + b + 1] + 1
                                  : std::max(common[(a + 1) * width + b], common[a * width + b + 1]);
    }
  }
  std::size_t b = 0;
  int line = begin > 0 && j > 0 ? original[j - 1]->line : tokens[begin < end ? begin : end - 1].line;
  for (std::size_t a = 0; a < rows; ++a) {
    token& t = tokens[begin + a];
    while (!is_too_long && b + 1 < width && t.text != original[j + b]->text &&
           common[a * width + b + 1] == common[a * width + b]) {
      ++b;
    }
    if (!is_too_long && b + 1 < width && t.text == original[j + b]->text) {
      take_place(t, *original[j + b++]);
      line = t.line;
    } else {
      t.line = line;
      t.column = 0;
    }
  }
}

}  // namespace

void restore_columns(token_list& list, const source_reader& read) {
  std::map<std::string, std::unique_ptr<original_file>> originals;
  std::vector<token>& tokens = list.tokens;
  // A macro of a system header makes the preprocessor switch to "system header" in the middle of a learner's line.
  const auto is_same_file = [&](std::size_t i, std::size_t k) {
    return tokens[i].file == tokens[k].file ||
           list.files[tokens[i].file].quoted_name == list.files[tokens[k].file].quoted_name;
  };
  for (std::size_t begin = 0; begin < tokens.size();) {
    const source_file& file = list.files[tokens[begin].file];
    if (file.is_system_header) {
      ++begin;
      continue;
    }
    const auto [known, is_new] = originals.try_emplace(file.quoted_name);
    if (is_new) {
      if (std::optional<std::string> text = read(file.name()))
        known->second = std::make_unique<original_file>(std::move(*text));
    }
    const int line = tokens[begin].text_line;
    std::vector<const token*> original;
    if (known->second) original = original_tokens(*known->second, line);
    const int last_line = original.empty() ? line : original.back()->line;
    std::size_t end = begin + 1;
    while (end < tokens.size() && is_same_file(begin, end) && tokens[end].text_line >= line &&
           tokens[end].text_line <= last_line) {
      ++end;
    }
    if (known->second) match(tokens, begin, end, original);
    begin = end;
  }
}

}  // namespace cuda_compiler
