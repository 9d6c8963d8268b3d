#include "cuda_compiler/clock_loops.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace cuda_compiler {

using parsing::token;
using parsing::token_kind;
namespace {

constexpr std::array<std::string_view, 2> clock_functions = {"clock", "clock64"};
constexpr std::array<std::string_view, 3> loop_words = {"while", "do", "for"};
/// Where a local variable is looked for in front of its loop.
constexpr std::size_t max_tokens_of_function = 4000;
/// Words that the loop may contain beside names.
constexpr std::array<std::string_view, 9> control_words = {"while", "do",   "for",   "if",   "else",
                                                           "break", "true", "false", "const"};
constexpr std::array<std::string_view, 13> type_words = {
    "long",  "int",    "unsigned", "signed", "short",       "char", "bool",
    "float", "double", "auto",     "const",  "static_cast", "std"};
constexpr std::array<std::string_view, 17> other_statements = {
    "return", "goto", "new",      "delete",   "throw",      "switch",    "case",   "default", "asm",
    "static", "try",  "volatile", "continue", "__shared__", "co_return", "extern", "this"};

class clock_loop_finder {
 public:
  explicit clock_loop_finder(const navigator& tokens) : tokens_(tokens) {}

  std::vector<clock_loop> find() {
    std::vector<clock_loop> found;
    for (std::size_t clock = 0; clock < tokens_.size(); ++clock) {
      if (!is_clock_call(clock)) continue;
      // The outermost loop around this call that does nothing else.
      const std::size_t first = found.empty() ? 0 : found.back().end + 1;
      std::optional<clock_loop> outermost;
      for (std::size_t i = clock; i-- > first && clock - i < max_tokens_of_function;) {
        if (tokens_.is(i, "}") && tokens_.partner(i) == navigator::none) break;
        if (!is_one_of(tokens_.at(i), loop_words) || behind_do_.count(i) != 0) continue;
        const std::size_t end = statement_end(i);
        if (end == navigator::none || end < clock) continue;
        std::optional<clock_loop> loop = read(i, end);
        if (!loop) break;
        outermost = std::move(loop);
      }
      if (!outermost) continue;
      clock = outermost->end;
      found.push_back(std::move(*outermost));
    }
    return found;
  }

 private:
  bool is_clock_call(std::size_t i) const {
    return tokens_.is_word(i) && is_one_of(tokens_.at(i), clock_functions) && tokens_.is(i + 1, "(") &&
           tokens_.is(i + 2, ")");
  }

  /// Whether the one character that is token `i` and the one behind it are one operator: `+=`, `==`, `++`.
  bool is_operator(std::size_t i, std::string_view text) const {
    return tokens_.is(i, text.substr(0, 1)) && tokens_.is(i + 1, text.substr(1)) &&
           tokens_.at(i + 1).text.data() == tokens_.at(i).text.data() + 1;
  }

  /// The last token of the statement that begins there; none when it is not complete.
  std::size_t statement_end(std::size_t i) {
    if (i >= tokens_.size() || tokens_.is_end(i)) return tokens_.is(i, ";") ? i : navigator::none;
    if (tokens_.is(i, "{")) return tokens_.partner(i);
    const bool is_if = tokens_.is(i, "if");
    if (is_if || tokens_.is(i, "while") || tokens_.is(i, "for")) {
      if (!tokens_.is(i + 1, "(") || tokens_.partner(i + 1) == navigator::none) return navigator::none;
      const std::size_t end = statement_end(tokens_.partner(i + 1) + 1);
      return is_if && end != navigator::none && tokens_.is(end + 1, "else") ? statement_end(end + 2) : end;
    }
    if (tokens_.is(i, "do")) {
      const std::size_t body = statement_end(i + 1);
      if (body == navigator::none || !tokens_.is(body + 1, "while")) return navigator::none;
      behind_do_.insert(body + 1);
      const std::size_t close = tokens_.partner(body + 2);
      return close != navigator::none && tokens_.is(close + 1, ";") ? close + 1 : navigator::none;
    }
    for (; i < tokens_.size(); ++i) {
      if (tokens_.is(i, ";")) return i;
      if (tokens_.is_end(i)) return navigator::none;
      i = tokens_.group_end(i);
    }
    return navigator::none;
  }

  /// Whether an operand ends in front of token `i`, so that `*`, `&`, `+` there join two operands.
  bool is_behind_operand(std::size_t i) const {
    const token& before = tokens_.at(i - 1);
    if (before.kind == token_kind::number) return true;
    if (before.is(")")) return !is_cast(tokens_.partner(i - 1), i - 1);
    return before.kind == token_kind::identifier && !is_one_of(before, control_words) &&
           !is_one_of(before, type_words);
  }

  /// `(clock_t)`, `(unsigned int)`
  bool is_cast(std::size_t open, std::size_t close) const {
    if (open == navigator::none || close == open + 1) return false;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (!tokens_.is_word(i) || !is_type(i)) return false;
    }
    return true;
  }

  bool is_type(std::size_t i) const {
    const std::string_view word = tokens_.at(i).text;
    return is_one_of(tokens_.at(i), type_words) || (word.size() > 2 && word.substr(word.size() - 2) == "_t");
  }

  /// The loop, unless it does something else than wait.
  std::optional<clock_loop> read(std::size_t begin, std::size_t end) const {
    clock_loop loop{begin, end, {}};
    for (std::size_t i = begin; i <= end; ++i) {
      const token& t = tokens_.at(i);
      if (t.kind == token_kind::quoted) return std::nullopt;
      if (t.kind == token_kind::number) continue;
      if (t.kind == token_kind::identifier) {
        if (is_one_of(t, other_statements)) return std::nullopt;
        const bool may_have_parenthesis =
            is_one_of(t, control_words) || is_one_of(t, clock_functions) || is_type(i);
        if (tokens_.is(i + 1, "(") && !may_have_parenthesis) return std::nullopt;
        if (is_one_of(t, clock_functions) && !is_clock_call(i)) return std::nullopt;
        continue;
      }
      if (is_operator(i, "&&") || is_operator(i, "||")) {
        ++i;
        continue;
      }
      // Not monotonous in time, or not certain to be about values only.
      constexpr std::string_view refused = "[].%&|^~!";
      if (t.text.size() > 1 ? !t.is("::") : refused.find(t.text[0]) != refused.npos) return std::nullopt;
      if (is_operator(i, "++") || is_operator(i, "--") || is_operator(i, "==")) return std::nullopt;
      if (t.is("*") && !is_behind_operand(i)) return std::nullopt;
      if (t.is("=") && !tokens_.is(i - 1, "<") && !tokens_.is(i - 1, ">") && !note_assignment(i, loop))
        return std::nullopt;
    }
    return loop;
  }

  /// `=` at `i`: of a variable of the loop, of a local one from outside, or of something else (false).
  bool note_assignment(std::size_t i, clock_loop& loop) const {
    std::size_t name = i - 1;
    if (tokens_.is(name, "+") || tokens_.is(name, "-")) {
      --name;
    } else if (!tokens_.is_word(name)) {
      return false;
    }
    if (!tokens_.is_word(name) || name <= loop.begin) return false;
    const std::string variable(tokens_.at(name).text);
    if (tokens_.is_word(name - 1) && !tokens_.is(name - 1, "else") && !tokens_.is(name - 1, "do"))
      return true;
    if (std::find(loop.assigned.begin(), loop.assigned.end(), variable) != loop.assigned.end()) return true;
    if (is_declared_between(loop.begin, name, variable)) return true;
    const std::size_t from = loop.begin - std::min(loop.begin, max_tokens_of_function);
    if (!is_declared_between(from, loop.begin, variable)) return false;
    loop.assigned.push_back(variable);
    return true;
  }

  /// Whether a declaration there makes it a variable with a value of its own.
  bool is_declared_between(std::size_t from, std::size_t to, std::string_view variable) const {
    for (std::size_t i = to; i-- > from;) {
      if (!tokens_.is_word(i) || !tokens_.is(i, variable)) continue;
      std::size_t first = i;
      while (first > from && !is_statement_begin(first)) --first;
      const bool is_control = is_one_of(tokens_.at(first), control_words) && !tokens_.is(first, "const");
      const bool has_type = tokens_.is_word(first + 1) || tokens_.is(first + 1, "::");
      if (first == i || !tokens_.is_word(first) || is_control || !has_type) continue;
      for (std::size_t k = first; k < i; ++k) {
        if (is_one_of(tokens_.at(k), other_statements) || tokens_.is(k, "&") || tokens_.is(k, "*"))
          return false;
      }
      return true;
    }
    return false;
  }

  bool is_statement_begin(std::size_t i) const {
    const token& before = tokens_.at(i - 1);
    return before.is(";") || before.is("{") || before.is("}") || before.is("(");
  }

  const navigator& tokens_;
  std::set<std::size_t> behind_do_;  // the `while` that ends a `do`
};

}  // namespace

std::vector<clock_loop> find_clock_loops(const navigator& tokens) { return clock_loop_finder(tokens).find(); }

}  // namespace cuda_compiler
