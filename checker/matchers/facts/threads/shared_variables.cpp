#include "matchers/facts/threads/shared_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "matchers/facts/code_text.h"
#include "matchers/facts/learner_code.h"
#include "trace/api_functions.h"

namespace matchers {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Where the captures of the lambda expression open whose body that brace opens; npos when it opens something else.
std::size_t captures_of(const std::string& text, std::size_t brace) {
  std::size_t last = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  for (const std::string_view word : {"mutable", "noexcept"}) {
    if (last != std::string::npos && word_before(text, last + 1) == word)
      last = text.find_last_not_of(blanks, last - word.size());
  }
  if (last != std::string::npos && text[last] == ')') {
    const std::size_t open = opening_of(text, last, '(');
    last =
        open == std::string::npos || open == 0 ? std::string::npos : text.find_last_not_of(blanks, open - 1);
  }
  if (last == std::string::npos || text[last] != ']') return std::string::npos;
  return opening_of(text, last, '[');
}

/// Where the `for` stands whose body that brace opens; npos when it opens something else.
std::size_t for_of(const std::string& text, std::size_t brace) {
  const std::size_t last = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  if (last == std::string::npos || text[last] != ')') return std::string::npos;
  const std::size_t open = opening_of(text, last, '(');
  if (open == std::string::npos || word_before(text, open) != "for") return std::string::npos;
  return text.rfind("for", open);
}

/// The variable that the loop counts: "index" of `for (int index = 0; ...; ...)`; "" of a loop over a range.
std::string counter_of(const std::string& text, std::size_t loop) {
  const std::size_t open = text.find('(', loop);
  const std::size_t end = text.find(';', open);
  const std::size_t close = closing_of(text, open);
  if (close == std::string::npos || end > close) return "";
  const std::size_t value = text.find_first_of("={(", open + 1);
  return value < end ? word_before(text, value) : "";
}

/// Whether the captures hold that variable by reference.
bool captures_by_reference(std::string_view captures, const std::string& name) {
  bool is_default = false;
  for (std::size_t begin = 0; begin <= captures.size();) {
    const std::size_t comma = std::min(captures.find(',', begin), captures.size());
    const std::string_view one = trimmed(captures.substr(begin, comma - begin));
    if (one == "&") is_default = true;
    if (!one.empty() && one.front() == '&' && trimmed(one.substr(1)) == name) return true;
    const bool is_of_name =
        one.starts_with(name) && (one.size() == name.size() || !is_of_word(one[name.size()]));
    if (is_of_name) return false;
    begin = comma + 1;
  }
  return is_default;
}

/// Where the call begins, with the object that it is made for, of which that place is an argument.
std::size_t begin_of_expression(const std::string& text, std::size_t place) {
  std::size_t begin = opening_before(text, place, '(');
  if (begin == std::string::npos) return place;
  while (begin > 0 && (is_of_word(text[begin - 1]) ||
                       std::string_view(".:->").find(text[begin - 1]) != std::string_view::npos))
    --begin;
  return begin;
}

bool is_loop(const std::string& text, std::size_t brace) {
  if (for_of(text, brace) != std::string::npos || word_before(text, brace) == "do") return true;
  const std::size_t last = brace == 0 ? std::string::npos : text.find_last_not_of(blanks, brace - 1);
  if (last == std::string::npos || text[last] != ')') return false;
  const std::size_t open = opening_of(text, last, '(');
  return open != std::string::npos && word_before(text, open) == "while";
}

/// Where the name is declared in the block, above that place: behind a type, and not as a reference, nor as a pointer unless one
/// will do; npos when it is not.
std::size_t declaration_in(const std::string& text, std::size_t brace, std::size_t end,
                           const std::string& name, std::string_view refused = "=(&*,") {
  for (std::size_t word = find_word(text, name, brace); word < end; word = find_word(text, name, word + 1)) {
    const std::size_t statement = text.find_last_of(";{}", word);
    const std::string_view before =
        trimmed(std::string_view(text).substr(statement + 1, word - statement - 1));
    const std::size_t behind = text.find_first_not_of(blanks, word + name.size());
    const bool is_declared =
        !before.empty() && before != "return" && before.find_first_of(refused) == before.npos &&
        (is_of_word(before.back()) || before.back() == '>' || before.back() == '*') &&
        behind != std::string::npos && std::string_view("=;{(").find(text[behind]) != std::string_view::npos;
    if (is_declared && opening_before(text, word) == brace) return word;
  }
  return std::string::npos;
}

/// Where `&name` is an argument in that part of the text, but of a call of CUDA that uses it at once; npos when it is none.
std::size_t address_in(const std::string& text, std::size_t begin, std::size_t end, const std::string& name) {
  for (std::size_t word = find_word(text, name, begin); word < end; word = find_word(text, name, word + 1)) {
    const std::size_t behind = text.find_first_not_of(blanks, word + name.size());
    const std::size_t before = text[word - 1] == '&' ? text.find_last_not_of(blanks, word - 2) : text.npos;
    const bool is_argument = before != text.npos && (text[before] == ',' || text[before] == '(') &&
                             behind != text.npos && (text[behind] == ',' || text[behind] == ')');
    if (!is_argument) continue;
    const std::size_t open = opening_before(text, word, '(');
    const trace::api_function function =
        open == text.npos ? trace::api_function::other : trace::function_named(word_before(text, open));
    const trace::call_effect effect = trace::traits_of(function).effect;
    if (function == trace::api_function::other || effect == trace::call_effect::queues_host_function ||
        effect == trace::call_effect::queues_callback)
      return word;
  }
  return text.npos;
}

std::string name_at(const std::string& text, std::size_t place) {
  std::size_t end = place;
  while (end < text.size() && is_of_word(text[end])) ++end;
  return text.substr(place, end - place);
}

/// Where a statement of the block above that place last passes the name, or its address, alone to a member function; npos when
/// none does, or the name is assigned to behind it.
std::size_t last_passed_to_member(const std::string& text, std::size_t block, std::size_t end,
                                  const std::string& name) {
  std::size_t passed = std::string::npos;
  for (std::size_t word = find_word(text, name, block); word < end; word = find_word(text, name, word + 1)) {
    const std::size_t behind = text.find_first_not_of(blanks, word + name.size());
    if (text[behind] == '=') passed = std::string::npos;
    const std::size_t open = text[word - 1] == '&' ? word - 2 : word - 1;
    if (text[open] != '(' || text[behind] != ')' || opening_before(text, word) != block) continue;
    const std::size_t function = open - word_before(text, open).size();
    if (text[function - 1] == '.' || text[function - 1] == '>') passed = word;
  }
  return passed;
}

/// Where the name begins to which, or to a member of which, the line assigns, behind an `if` too; npos when it does not.
std::size_t assignment_on(const std::string& text, int line) {
  std::size_t place = begin_of_code(text, line);
  if (place == std::string::npos) return place;
  const std::size_t line_end = std::min(text.find('\n', place), text.size());
  if (name_at(text, place) == "if") {
    const std::size_t open = text.find('(', place);
    const std::size_t close = open == text.npos ? text.npos : closing_of(text, open);
    place = close == text.npos ? text.npos : text.find_first_not_of(blanks, close + 1);
    if (place >= line_end) return std::string::npos;
  }
  const std::string name = name_at(text, place);
  const std::string_view rest =
      std::string_view(text).substr(place + name.size(), line_end - place - name.size());
  const std::size_t assigned = rest.find('=');
  const bool is_assignment = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                             assigned != rest.npos && rest.substr(assigned, 2) != "==" &&
                             rest.substr(0, assigned).find_first_of("(,?-*&") == rest.npos &&
                             (rest.front() == '.' || rest.front() == ' ' || rest.front() == '=');
  if (!is_assignment) return std::string::npos;
  const std::string_view member = trimmed(rest.substr(0, assigned));
  return member.empty() || member.front() == '.' ? place : std::string::npos;
}

/// Whether the first use of the name in the block, above that place, declares it as a reference or a pointer.
bool is_declared_as_reference(const std::string& text, std::size_t brace, std::size_t end,
                              const std::string& name) {
  const std::size_t word = find_word(text, name, brace);
  if (word >= end || opening_before(text, word) != brace) return false;
  const std::size_t mark = text.find_last_not_of(blanks, word - 1);
  if (text[mark] != '&' && text[mark] != '*') return false;
  // Not in a list, as of captures.
  const std::size_t type = text.find_last_not_of(blanks, mark - 1);
  return is_of_word(text[type]) || text[type] == '>';
}

/// Where the body of the innermost lambda expression opens that is around the code of the line, or all on it; npos when there is none.
std::size_t lambda_around(const std::string& text, std::size_t begin_of_line) {
  const std::size_t line_end = std::min(text.find('\n', begin_of_line), text.size());
  std::size_t body = opening_before(text, begin_of_line);
  for (std::size_t brace = text.find('{', begin_of_line); brace < line_end;
       brace = text.find('{', brace + 1)) {
    if (captures_of(text, brace) != std::string::npos) body = brace;
  }
  while (body != std::string::npos && captures_of(text, body) == std::string::npos)
    body = opening_before(text, body);
  return body;
}

/// Where the variable of that name is defined which exists in the block that the brace opens, up to that place, and is no reference:
/// in the block, or as the counter of its loop; npos when there is none.
std::size_t variable_of_block(const std::string& text, std::size_t brace, std::size_t end,
                              const std::string& name) {
  const std::size_t loop = for_of(text, brace);
  if (loop != std::string::npos && counter_of(text, loop) == name) return loop;
  const std::size_t declared = declaration_in(text, brace, end, name, "=(&,");
  const bool is_static = declared != std::string::npos &&
                         find_word(text, "static", text.find_last_of(";{}", declared)) < declared;
  return is_static ? std::string::npos : declared;
}

/// The variables that the lambda expression with that body holds by reference, and that do not exist any more at that place, which
/// is behind it in its function: "`part` (a.cu:43)".
std::vector<std::string> ended_captures(const learner_source& source, const std::string& text,
                                        std::size_t body, std::size_t place) {
  const std::size_t captures = captures_of(text, body);
  const std::size_t body_end = end_of_braces(text, body);
  const std::string_view head = std::string_view(text).substr(captures, body - captures);
  const std::string_view captured = head.substr(1, head.find(']') - 1);
  const std::string parameters(head.substr(head.find(']')));
  std::vector<std::string> found;
  std::vector<std::string> known;
  for (std::size_t word = body + 1; word < body_end; ++word) {
    const std::string name = is_of_word(text[word - 1]) ? "" : name_at(text, word);
    const bool is_member = text[word - 1] == '.' || text[word - 1] == ':' || text[word - 1] == '>';
    if (name.empty() || is_member || std::find(known.begin(), known.end(), name) != known.end()) continue;
    known.push_back(name);
    const bool is_own = find_word(parameters, name, 0) != std::string::npos ||
                        declaration_in(text, body, body_end, name, "=(,") != std::string::npos;
    if (is_own || !captures_by_reference(captured, name)) continue;
    for (std::size_t brace = opening_before(text, captures);
         brace != std::string::npos && opens_statements(text, brace) && end_of_braces(text, brace) < place;
         brace = opening_before(text, brace)) {
      const std::size_t defined = variable_of_block(text, brace, captures, name);
      if (defined != std::string::npos)
        found.push_back(fmt::format("`{}` ({})", name, line_at(source, defined)));
      if (defined != std::string::npos || is_declared_as_reference(text, brace, captures, name)) break;
    }
  }
  return found;
}

/// The innermost brace that has both places behind it and opens statements of a function.
bool are_in_one_function(const std::string& text, std::size_t earlier, std::size_t later) {
  for (std::size_t brace = opening_before(text, earlier);
       brace != std::string::npos && opens_statements(text, brace); brace = opening_before(text, brace)) {
    if (later < end_of_braces(text, brace)) return earlier < later;
  }
  return false;
}

}  // namespace

std::optional<captured_variable> loop_variable_captured_at(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t place = begin_of_code(text, line);
  if (place == std::string::npos) return std::nullopt;
  const std::size_t body = lambda_around(text, place);
  if (body == std::string::npos) return std::nullopt;
  const std::size_t captures = captures_of(text, body);
  const std::string_view captured =
      std::string_view(text).substr(captures + 1, text.find(']', captures) - captures - 1);
  // The body of the nearest loop may be the statement alone.
  for (std::size_t brace = begin_of_expression(text, captures); brace != std::string::npos;
       brace = opening_before(text, brace)) {
    const std::size_t loop = for_of(text, brace);
    if (loop == std::string::npos) continue;
    const std::string name = counter_of(text, loop);
    const std::size_t end = text[brace] == '{' ? end_of_braces(text, brace) : end_of_braces(text, body);
    const bool is_used = !name.empty() && find_word(text, name, body) < end_of_braces(text, body);
    const bool is_joined = find_word(text, "join", body) < end;
    if (is_used && !is_joined && captures_by_reference(captured, name))
      return captured_variable{name, line_at(source, captures), line_at(source, loop)};
  }
  return std::nullopt;
}

std::optional<local_variable> local_variable_assigned_at(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t place = assignment_on(text, line);
  if (place == std::string::npos) return std::nullopt;
  const std::string name = name_at(text, place);
  std::size_t lambda = std::string::npos;
  for (std::size_t brace = opening_before(text, place); brace != std::string::npos;
       brace = opening_before(text, brace)) {
    const std::size_t declared = declaration_in(text, brace, place, name);
    if (declared != std::string::npos) {
      const std::size_t address = address_in(text, text.find(';', place), end_of_braces(text, brace), name);
      return local_variable{name, line_at(source, declared), is_loop(text, brace),
                            lambda == std::string::npos ? "" : line_at(source, lambda),
                            address == std::string::npos ? "" : line_at(source, address)};
    }
    if (is_declared_as_reference(text, brace, place, name)) return std::nullopt;
    const std::size_t captures = captures_of(text, brace);
    if (captures == std::string::npos) continue;
    const std::string_view captured =
        std::string_view(text).substr(captures + 1, text.find(']', captures) - captures - 1);
    if (!captures_by_reference(captured, name)) return std::nullopt;
    lambda = captures;
  }
  return std::nullopt;
}

std::string line_handing_on_assigned_at(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t place = assignment_on(text, line);
  const std::size_t block = place == std::string::npos ? place : opening_before(text, place);
  if (block == std::string::npos) return "";
  const std::size_t address = address_in(text, block, place, name_at(text, place));
  const std::size_t open = address == std::string::npos ? address : opening_before(text, address, '(');
  if (open == std::string::npos) return "";
  const std::string function = word_before(text, open);
  const std::size_t begin = text.rfind(function, open);
  const bool is_of_member = begin > 0 && (text[begin - 1] == '.' || text[begin - 1] == '>');
  const bool hands_on = is_of_member || trace::function_named(function) != trace::api_function::other;
  return hands_on ? line_at(source, address) : "";
}

std::optional<handed_variable> variable_handed_on_before(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t use = begin_of_code(text, line);
  const std::size_t block = use == std::string::npos ? use : opening_before(text, use);
  if (block == std::string::npos) return std::nullopt;
  const std::size_t line_end = std::min(text.find('\n', use), text.size());
  for (std::size_t place = use; place < line_end; ++place) {
    const std::string name = is_of_word(text[place - 1]) ? "" : name_at(text, place);
    const std::size_t end = place + name.size();
    const bool has_member = !name.empty() && (text[end] == '.' || text.compare(end, 2, "->") == 0);
    if (!has_member) continue;
    const std::size_t passed = last_passed_to_member(text, block, use, name);
    if (passed == std::string::npos) continue;
    const std::string object = name_at(text, begin_of_expression(text, passed));
    if (find_word(text, object, use) >= line_end) return handed_variable{name, line_at(source, passed)};
  }
  return std::nullopt;
}

std::optional<local_variable> local_variable_passed_at(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t place = begin_of_code(text, line);
  if (place == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(text.find(';', place), text.size());
  for (std::size_t address = text.find('&', place); address < end; address = text.find('&', address + 1)) {
    if (text[text.find_last_not_of(blanks, address - 1)] != ',') continue;
    std::size_t name_end = address + 1;
    while (name_end < end && is_of_word(text[name_end])) ++name_end;
    const std::string name = text.substr(address + 1, name_end - address - 1);
    const std::size_t behind = text.find_first_not_of(blanks, name_end);
    if (name.empty() || behind == std::string::npos ||
        std::string_view(",)").find(text[behind]) == std::string_view::npos)
      continue;
    for (std::size_t brace = opening_before(text, place); brace != std::string::npos;
         brace = opening_before(text, brace)) {
      const std::size_t loop = for_of(text, brace);
      if (loop != std::string::npos && counter_of(text, loop) == name)
        return local_variable{name, line_at(source, loop), true};
      const std::size_t declared = declaration_in(text, brace, place, name, "=(&,");
      if (declared == std::string::npos) continue;
      if (find_word(text, "static", text.find_last_of(";{}", declared)) < declared) break;
      return local_variable{name, line_at(source, declared), is_loop(text, brace)};
    }
  }
  return std::nullopt;
}

bool name_ended_captures(const learner_source& source, report::evidence& why) {
  const std::string text = code_of(source.text);
  const std::string file = source.file_name + ':';
  const auto begin_of = [&](const std::string& place) {
    return place.starts_with(file) ? begin_of_code(text, std::stoi(place.substr(file.size())))
                                   : std::string::npos;
  };
  for (const report::called_place& called : why.called_from) {
    if (!called.is_chain && called.lines.size() != 1) continue;
    std::vector<std::string> chain = called.lines;
    chain.insert(chain.begin(), called.place);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const std::size_t inner = begin_of(chain[i]), outer = begin_of(chain[i + 1]);
      const std::size_t body =
          inner == std::string::npos || outer == std::string::npos ? inner : lambda_around(text, inner);
      if (body == std::string::npos || outer == std::string::npos ||
          !are_in_one_function(text, captures_of(text, body), outer))
        continue;
      const std::vector<std::string> ended = ended_captures(source, text, body, outer);
      if (ended.empty()) continue;
      const bool is_one = ended.size() == 1;
      const std::string lambda = line_at(source, captures_of(text, body));
      why.observation = fmt::format(
          "The lambda expression at {} holds {} by reference, and is called at {}, where {} exist any more: capture {} by value. {}",
          lambda, fmt::join(ended, " and "), chain[i + 1], is_one ? "that does not" : "these do not",
          is_one ? "it" : "them", why.observation);
      report::lead_first_to(why, lambda);
      return true;
    }
  }
  return false;
}

bool is_named_on(const learner_source& source, const std::string& name, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  return begin != std::string::npos && find_word(text, name, begin) < text.find('\n', begin);
}

}  // namespace matchers
