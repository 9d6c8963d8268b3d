#include "matchers/facts/statement_text.h"

namespace matchers {

namespace {

/// The last letter before that place that is not blank; npos when there is none.
std::size_t last_before(const std::string& text, std::size_t place) {
  return place == 0 ? std::string::npos : text.find_last_not_of(blanks, place - 1);
}

/// Behind the members and elements of a variable that are named from there on.
std::size_t behind_members(const std::string& text, std::size_t place) {
  for (;;) {
    place = std::min(text.find_first_not_of(blanks, place), text.size());
    const bool is_arrow = text.compare(place, 2, "->") == 0;
    if (place < text.size() && text[place] == '[') {
      int depth = 0;
      do {
        depth += text[place] == '[' ? 1 : text[place] == ']' ? -1 : 0;
      } while (++place < text.size() && depth > 0);
    } else if (is_arrow || (place < text.size() && text[place] == '.')) {
      place = std::min(text.find_first_not_of(blanks, place + (is_arrow ? 2 : 1)), text.size());
      while (place < text.size() && is_of_word(text[place])) ++place;
    } else {
      return place;
    }
  }
}

/// Whether the place is in the parentheses of a call, as far as what comes behind these shows it.
bool is_in_call(const std::string& text, std::size_t place) {
  const std::size_t open = opening_before(text, place, '(');
  const std::size_t close = open == std::string::npos ? open : closing_of(text, open);
  const std::size_t next = close == std::string::npos ? close : text.find_first_not_of(blanks, close + 1);
  return next != std::string::npos && std::string_view(";,)").find(text[next]) != std::string_view::npos;
}

/// Whether the name is what an argument of swap() or the first of exchange() begins with.
bool is_exchanged(const std::string& text, std::size_t name) {
  const std::size_t sign = last_before(text, name);
  if (sign == std::string::npos || (text[sign] != '(' && text[sign] != ',')) return false;
  const std::size_t open = text[sign] == '(' ? sign : text.find_last_of("(;{}", sign);
  if (open == std::string::npos || text[open] != '(') return false;
  const std::string function = word_before(text, open);
  return function == "swap" || (function == "exchange" && open == sign);
}

/// Where the variable that is defined there ends to exist.
std::size_t end_of_scope(const std::string& text, std::size_t name) {
  const std::size_t loop = find_word(text, "for", statement_at(text, name).begin);
  if (loop < name) {
    const std::size_t close = closing_of(text, std::min(text.find('(', loop), text.size()));
    const std::size_t body = close == std::string::npos ? close : text.find_first_not_of(blanks, close + 1);
    if (body == std::string::npos) return text.size();
    return text[body] == '{' ? end_of_braces(text, body) : std::min(text.find(';', body), text.size());
  }
  int depth = 0;
  for (std::size_t i = name; i > 0; --i) {
    if (text[i - 1] == '}') ++depth;
    if (text[i - 1] == '{' && --depth < 0) return end_of_braces(text, i - 1);
  }
  return text.size();
}

/// The end of the parameters of a function whose body opens there; npos when no parenthesis stands before it.
std::size_t end_of_parameters(const std::string& text, std::size_t brace) {
  std::size_t close = last_before(text, brace);
  while (close != std::string::npos) {
    if (is_of_word(text[close])) {  // const, mutable, noexcept
      close = last_before(text, close + 1 - word_before(text, close + 1).size());
      continue;
    }
    if (text[close] != ')' && text[close] != '}') break;
    const std::size_t open = opening_of(text, close, text[close] == ')' ? '(' : '{');
    if (open == std::string::npos) break;
    const std::string name = word_before(text, open);
    const std::size_t begin = text.rfind(name, open);
    if (name.empty() || !is_initializer(text, begin, name.size()))
      return text[close] == ')' ? close : std::string::npos;
    close = last_before(text, last_before(text, begin));
  }
  return std::string::npos;
}

}  // namespace

text_piece statement_at(const std::string& text, std::size_t place) {
  const std::size_t before = place == 0 ? std::string::npos : text.find_last_of(";{}", place - 1);
  text_piece found{before == std::string::npos ? 0 : before + 1, place};
  for (;;) {
    found.end = std::min(text.find_first_of(";{}", found.end), text.size());
    const bool has_list =
        found.end < text.size() && text[found.end] == '{' && !opens_statements(text, found.end);
    if (!has_list) break;
    found.end = std::min(end_of_braces(text, found.end) + 1, text.size());
  }
  const std::size_t loop = find_word(text, "for", found.begin);
  if (loop <= place) {
    const std::size_t close = closing_of(text, std::min(text.find('(', loop), text.size()));
    if (close != std::string::npos) found.end = std::max(found.end, close);
  }
  return found;
}

bool is_member(const std::string& text, std::size_t name) {
  const std::size_t last = last_before(text, name);
  if (last == std::string::npos) return false;
  const std::string_view two = std::string_view(text).substr(last == 0 ? 0 : last - 1, 2);
  return text[last] == '.' || two == "->" || two == "::";
}

bool is_address_of(const std::string& text, std::size_t name) {
  const std::size_t sign = last_before(text, name);
  if (sign == std::string::npos || text[sign] != '&') return false;
  const std::size_t before = last_before(text, sign);
  if (before == std::string::npos || before == 0) return false;
  return text[before] == '(' || text[before] == ',' || text.compare(before - 1, 2, "*)") == 0;
}

bool has_type(const std::string& text, std::size_t name) {
  const std::size_t before = last_before(text, name);
  if (before == std::string::npos) return false;
  if (std::string_view(">&*").find(text[before]) != std::string_view::npos) {
    const std::size_t begin = text.find_last_of(";{}(,", before);  // `x = 2 * name` has none
    const bool is_in_list = begin != std::string::npos && (text[begin] == '(' || text[begin] == ',');
    if (is_in_list && is_in_call(text, name)) return false;  // `f(2 * name, x)`
    const std::size_t sign = text.find('=', begin == std::string::npos ? 0 : begin);
    return sign > before && !is_address_of(text, name);
  }
  const std::string word = word_before(text, name);
  constexpr std::array no_types{"",      "return", "else",  "new",       "struct",
                                "class", "enum",   "union", "namespace", "operator"};
  return std::find(no_types.begin(), no_types.end(), word) == no_types.end();
}

bool is_given_value(const std::string& text, std::size_t name, std::size_t length) {
  if (is_member(text, name)) return false;
  if (is_exchanged(text, name)) return true;
  const std::size_t before = last_before(text, name);
  if (before == std::string::npos || before == 0) return false;
  const std::string_view last_two = std::string_view(text).substr(before - 1, 2);
  if (last_two == "++" || last_two == "--") return true;
  const std::size_t behind = behind_members(text, name + length);
  const auto is_next = [&](std::string_view next) { return text.compare(behind, next.size(), next) == 0; };
  if (is_next("++") || is_next("--") || is_next("<<=") || is_next(">>=")) return true;
  if (is_next("=")) return !is_next("==");
  if (behind + 1 < text.size() && text[behind + 1] == '=' &&
      std::string_view("+-*/%&|^").find(text[behind]) != std::string_view::npos)
    return true;
  if (!has_type(text, name)) return false;
  if (is_next(":") && !is_next("::")) return find_word(text, "for", statement_at(text, name).begin) < name;
  return is_next("{") || is_next("(");
}

text_piece scope_at(const std::string& text, std::string_view name, std::size_t use, text_piece body) {
  text_piece scope = body;
  for (std::size_t i = find_word(text, name, body.begin); i <= use; i = find_word(text, name, i + 1)) {
    const std::size_t behind = text.find_first_not_of(blanks, i + name.size());
    const bool is_definition = has_type(text, i) && behind != std::string::npos &&
                               std::string_view("={(:;,[").find(text[behind]) != std::string_view::npos;
    if (!is_definition) continue;
    const std::size_t end = end_of_scope(text, i);
    if (use < end) scope = {i, end};
  }
  return scope;
}

std::vector<text_piece> pieces_of(const std::string& text, text_piece list) {
  std::vector<text_piece> pieces;
  std::size_t begin = list.begin;
  int depth = 0;
  for (std::size_t i = list.begin; i < list.end; ++i) {
    if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos) --depth;
    if (text[i] != ',' || depth != 0) continue;
    pieces.push_back({begin, i});
    begin = i + 1;
  }
  pieces.push_back({begin, list.end});
  return pieces;
}

bool is_initializer(const std::string& text, std::size_t name, std::size_t length) {
  const std::size_t before = last_before(text, name);
  const std::size_t behind = text.find_first_not_of(blanks, name + length);
  if (before == std::string::npos || behind == std::string::npos) return false;
  const std::size_t previous = last_before(text, before);
  if (previous == std::string::npos || std::string_view("({").find(text[behind]) == std::string_view::npos)
    return false;
  return (text[before] == ':' && text[previous] == ')') ||
         (text[before] == ',' && (text[previous] == ')' || text[previous] == '}'));
}

std::optional<function_text> function_at(const std::string& text, std::size_t brace) {
  const std::size_t close = end_of_parameters(text, brace);
  if (close == std::string::npos) return std::nullopt;
  const std::size_t open = opening_of(text, close, '(');
  if (open == std::string::npos) return std::nullopt;
  function_text found{word_before(text, open), {}, {brace, end_of_braces(text, brace)}};
  const std::size_t before = last_before(text, open);
  const bool is_lambda = before != std::string::npos && text[before] == ']';
  if (is_lambda) {
    const std::size_t capture = opening_of(text, before, '[');
    const std::size_t equals = capture == std::string::npos ? capture : last_before(text, capture);
    if (equals == std::string::npos) return std::nullopt;
    if (text[equals] == '=') found.name = word_before(text, equals);
  }
  constexpr std::array no_functions{"if", "for", "while", "switch", "catch", ""};
  if (!is_lambda && std::find(no_functions.begin(), no_functions.end(), found.name) != no_functions.end())
    return std::nullopt;
  for (const text_piece& piece : pieces_of(text, {open + 1, close})) {
    const std::size_t end = std::min(std::min(text.find_first_of("=[", piece.begin), piece.end), close);
    found.parameters.push_back(word_before(text, end));
  }
  return found;
}

std::vector<function_text> functions_around(const std::string& text, std::size_t place) {
  std::vector<function_text> found;
  int depth = 0;
  for (std::size_t i = place; i > 0; --i) {
    if (text[i - 1] == '}') ++depth;
    if (text[i - 1] != '{' || --depth >= 0) continue;
    depth = 0;
    if (auto function = function_at(text, i - 1)) found.push_back(std::move(*function));
  }
  return found;
}

std::optional<text_piece> stream_in(const std::string& text, text_piece statement) {
  const std::size_t open = text.find("<<<", statement.begin);
  const std::size_t close = text.find(">>>", open);
  if (close < statement.end) {
    const std::vector<text_piece> arguments = pieces_of(text, {open + 3, close});
    return arguments.size() == 4 ? std::optional(arguments.back()) : std::nullopt;
  }
  const std::size_t call = text.find("Async(", statement.begin);
  if (call >= statement.end) return std::nullopt;
  const std::size_t list = text.find('(', call);
  const std::size_t end = closing_of(text, list);
  return end == std::string::npos ? std::nullopt : std::optional(pieces_of(text, {list + 1, end}).back());
}

std::optional<text_piece> blocks_in(const std::string& text, text_piece statement) {
  const std::size_t open = text.find("<<<", statement.begin);
  const std::size_t close = text.find(">>>", open);
  return close < statement.end ? std::optional(pieces_of(text, {open + 3, close}).front()) : std::nullopt;
}

std::optional<text_piece> bytes_in(const std::string& text, text_piece statement) {
  struct kind_of_call {
    std::string_view begin;
    std::size_t argument;
  };
  constexpr std::array<kind_of_call, 5> calls{{{"cudaMemcpy", 2},
                                               {"cudaMemset", 2},
                                               {"cudaMalloc", 1},
                                               {"cudaHostAlloc", 1},
                                               {"cudaHostRegister", 1}}};
  for (const kind_of_call& call : calls) {
    const std::size_t begin = text.find(call.begin, statement.begin);
    if (begin >= statement.end) continue;
    const std::size_t list = text.find('(', begin);
    const std::size_t end = closing_of(text, std::min(list, text.size()));
    if (end == std::string::npos) continue;
    const std::string_view name(text.data() + begin, list - begin);
    const std::string_view more = name.substr(call.begin.size());
    const std::vector<text_piece> arguments = pieces_of(text, {list + 1, end});
    const bool is_plain = more.empty() || more == "Async" || more == "Host" || more == "Managed";
    if (is_plain && call.argument < arguments.size()) return arguments[call.argument];
  }
  return std::nullopt;
}

}  // namespace matchers
