#include "matchers/facts/learner_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "matchers/facts/code_text.h"

namespace matchers {

namespace {

/// Whether the innermost open brace in front of that place opens statements.
bool is_among_statements(const std::string& text, std::size_t place) {
  const std::size_t brace = opening_before(text, place);
  return brace != std::string::npos && opens_statements(text, brace);
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

/// From the end of the statement or block before the brace up to it.
std::string_view head_of(const std::string& text, std::size_t brace) {
  const std::size_t before = brace == 0 ? std::string::npos : text.find_last_of(";{}", brace - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return std::string_view(text).substr(begin, brace - begin);
}

bool opens_lambda(const std::string& text, std::size_t brace) {
  const std::string_view head = head_of(text, brace);
  const std::size_t last = head.find_last_not_of(blanks);
  return head.find("](") != head.npos || head.find("] ") != head.npos ||
         (last != head.npos && head[last] == ']');
}

/// The brace that opens the body of the function, or with `lambdas` of the lambda expression, around that place; npos outside.
enum class lambdas { passed_over, counted };
std::size_t body_around(const std::string& text, std::size_t place, lambdas inner) {
  std::size_t body = std::string::npos;
  for (std::size_t brace = opening_before(text, place);
       brace != std::string::npos && opens_statements(text, brace); brace = opening_before(text, brace)) {
    body = brace;
    if (inner == lambdas::counted && opens_lambda(text, brace)) break;
  }
  return body;
}

/// The end of the parameters of the function whose body that brace opens; npos when there is none.
std::size_t end_of_head(const std::string& text, std::size_t body) {
  std::size_t last = body == 0 ? std::string::npos : text.find_last_not_of(blanks, body - 1);
  for (const std::string_view word : {"override", "noexcept", "const"}) {
    if (last != std::string::npos && word_before(text, last + 1) == word)
      last = text.find_last_not_of(blanks, last - word.size());
  }
  return last != std::string::npos && text[last] == ')' ? last : std::string::npos;
}

/// Where the name and the opening brace of a function are in the text.
struct defined_function {
  std::size_t name;
  std::size_t body;
};

std::optional<defined_function> definition_of(const std::string& text, std::string_view function) {
  for (const std::string_view word : {"if", "for", "while", "switch", "catch"}) {
    if (function == word) return std::nullopt;
  }
  for (std::size_t name = find_word(text, function, 0); name != std::string::npos;
       name = find_word(text, function, name + 1)) {
    const std::size_t open = text.find_first_not_of(blanks, name + function.size());
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t close = closing_of(text, open);
    if (close == std::string::npos) return std::nullopt;
    const std::size_t body = text.find_first_of("{;(", close + 1);
    if (body != std::string::npos && text[body] == '{' && end_of_head(text, body) == close)
      return defined_function{name, body};
  }
  return std::nullopt;
}

}  // namespace

std::string line_at(const learner_source& source, std::size_t place) {
  return fmt::format("{}:{}", source.file_name, number_of_line(source.text, place));
}

std::string only_line_of(const learner_source& source, std::string_view word) {
  const std::string text = code_of(source.text);
  const std::size_t place = word.empty() ? std::string::npos : find_word(text, word, 0);
  const bool is_only = place != std::string::npos && find_word(text, word, place + 1) == std::string::npos;
  return is_only ? line_at(source, place) : "";
}

std::string line_of_definition(const learner_source& source, std::string_view function) {
  const std::string text = code_of(source.text);
  const std::optional<defined_function> found = definition_of(text, function);
  return found ? line_at(source, found->name) : "";
}

std::string name_of_function_around(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  if (begin == std::string::npos) return "";
  // The function may be all on the line.
  const std::size_t end = text.find_first_of(";\n", begin);
  const std::size_t body = end == std::string::npos ? end : body_around(text, end, lambdas::counted);
  const std::size_t close = body == std::string::npos ? body : end_of_head(text, body);
  const std::size_t open = close == std::string::npos ? close : opening_of(text, close, '(');
  return open == std::string::npos ? "" : word_before(text, open);
}

std::string host_function_queued_at(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  const std::size_t call = begin == std::string::npos ? begin : find_word(text, "cudaLaunchHostFunc", begin);
  if (call >= text.find(';', begin)) return "";
  const std::size_t comma = text.find(',', call);
  const std::size_t name = comma == std::string::npos ? comma : text.find_first_not_of(" \n\t&", comma + 1);
  if (name == std::string::npos) return "";
  std::size_t end = name;
  while (end < text.size() && is_of_word(text[end])) ++end;
  return text.substr(name, end - name);
}

bool is_in_destructor(const learner_source& source, std::string_view name, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  const std::size_t place = begin == std::string::npos ? begin : find_word(text, name, begin);
  if (place >= text.find('\n', begin)) return false;
  const std::size_t body = body_around(text, place, lambdas::counted);
  const std::size_t close = body == std::string::npos ? body : end_of_head(text, body);
  const std::size_t open = close == std::string::npos ? close : opening_of(text, close, '(');
  const std::size_t name_size = open == std::string::npos ? 0 : word_before(text, open).size();
  const std::size_t sign = name_size == 0 ? 0 : text.rfind(word_before(text, open), open);
  return sign > 0 && text[sign - 1] == '~';
}

std::string line_of_return(const learner_source& source, std::string_view function) {
  const std::string text = code_of(source.text);
  const std::optional<defined_function> found = definition_of(text, function);
  if (!found) return "";
  const std::size_t end = end_of_braces(text, found->body);
  std::size_t last = found->name;
  for (std::size_t place = find_word(text, "return", found->body); place < end;
       place = find_word(text, "return", place + 1))
    last = place;
  return line_at(source, last);
}

std::string line_of_return_behind(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  const std::size_t place = begin == std::string::npos ? begin : find_word(text, "return", begin);
  return place == std::string::npos ? "" : line_at(source, place);
}

std::string line_of_detach(const learner_source& source) {
  const std::string text = code_of(source.text);
  const std::size_t place = find_word(text, "detach", 0);
  const bool is_only =
      place != std::string::npos && find_word(text, "detach", place + 1) == std::string::npos;
  return is_only ? line_at(source, place) : "";
}

std::vector<held_lock> locks_held_at(const learner_source& source, int line) {
  std::vector<held_lock> held;
  const std::string text = code_of(source.text);
  std::size_t end = begin_of_code(text, line);
  if (end == std::string::npos) return held;
  const std::size_t place = end;
  const auto opens_block = [&](std::size_t brace) {
    return brace != std::string::npos && (opens_statements(text, brace) || opens_lambda(text, brace));
  };
  for (std::size_t brace = opening_before(text, end); opens_block(brace);
       end = brace, brace = opening_before(text, brace)) {
    for (const std::string_view guard : {"lock_guard", "scoped_lock", "unique_lock"}) {
      for (std::size_t word = find_word(text, guard, brace); word < end;
           word = find_word(text, guard, word + 1)) {
        const std::size_t open = text.find_first_of("({", word);
        const bool is_declared =
            open < end && text.find(';', word) > open && opening_before(text, word) == brace;
        if (!is_declared) continue;
        const std::string name = word_before(text, open);
        const std::size_t close = text.find_first_of(",)}", open);
        if (name.empty() || name == guard || close == std::string::npos) continue;
        const std::size_t unlocked = text.find(name + ".unlock", open);
        if (unlocked < place) continue;
        const std::size_t first = text.find_first_not_of(blanks, open + 1);
        const std::size_t last = text.find_last_not_of(blanks, close - 1);
        if (first <= last) held.push_back({text.substr(first, last + 1 - first), line_at(source, word)});
      }
    }
    for (std::size_t dot = text.find(".lock(", brace); dot < end; dot = text.find(".lock(", dot + 1)) {
      const std::string name = word_before(text, dot);
      const bool is_unlocked = text.find(name + ".unlock", dot) < place;
      if (opening_before(text, dot) == brace && !name.empty() && !is_unlocked)
        held.push_back({name, line_at(source, dot)});
    }
    if (opens_lambda(text, brace)) break;
  }
  return held;
}

std::vector<std::string> lines_of_returns_with_lock(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_code(text, line);
  const std::size_t lock = begin == std::string::npos ? begin : text.find(".lock(", begin);
  if (lock == std::string::npos || number_of_line(text, lock) != line) return {};
  const std::size_t body = body_around(text, lock, lambdas::counted);
  const std::string name = word_before(text, lock);
  if (body == std::string::npos || name.empty()) return {};
  const std::size_t end = text.find(name + ".unlock", lock);
  if (end >= end_of_braces(text, body)) return {};
  std::vector<std::string> lines;
  for (std::size_t place = find_word(text, "return", lock); place < end;
       place = find_word(text, "return", place + 1)) {
    if (body_around(text, place, lambdas::counted) == body) lines.push_back(line_at(source, place));
  }
  return lines;
}

std::vector<unnamed_lock> unnamed_locks(const learner_source& source) {
  const std::string text = code_of(source.text);
  std::vector<unnamed_lock> locks;
  for (const char* const type : {"lock_guard", "scoped_lock", "unique_lock", "shared_lock"}) {
    for (std::size_t place = find_word(text, type, 0); place < text.size();
         place = find_word(text, type, place + 1)) {
      std::size_t next =
          std::min(text.find_first_not_of(blanks, place + std::string_view(type).size()), text.size());
      if (next < text.size() && text[next] == '<')
        next = std::min(text.find_first_not_of(blanks, text.find('>', next) + 1), text.size());
      if (next == text.size() || (text[next] != '(' && text[next] != '{')) continue;
      const std::size_t close = text[next] == '(' ? closing_of(text, next) : end_of_braces(text, next);
      const std::size_t behind =
          close == std::string::npos ? close : text.find_first_not_of(blanks, close + 1);
      const std::size_t begin = text.find_last_of(";{}", place);
      const std::string before = begin == std::string::npos ? "" : text.substr(begin + 1, place - begin - 1);
      const bool is_statement = behind != std::string::npos && text[behind] == ';' &&
                                before.find_first_of("=(,") == std::string::npos &&
                                find_word(before, "return", 0) == std::string::npos;
      if (!is_statement) continue;
      const std::string inside = text.substr(next + 1, close - next - 1);
      const bool is_name = text[next] == '(' && std::all_of(inside.begin(), inside.end(), is_of_word);
      locks.push_back({line_at(source, place), is_name ? inside : ""});
    }
  }
  return locks;
}

std::string line_of_mutex(const learner_source& source, std::string_view name) {
  const std::string text = code_of(source.text);
  for (std::size_t place = find_word(text, "mutex", 0); place < text.size();
       place = find_word(text, "mutex", place + 1)) {
    const std::size_t declared = text.find_first_not_of(blanks, place + std::string_view("mutex").size());
    if (declared != std::string::npos && find_word(text, name, declared) == declared)
      return line_at(source, declared);
  }
  return "";
}

std::vector<private_mutex> private_mutexes(const learner_source& source) {
  const std::string text = code_of(source.text);
  std::vector<private_mutex> found;
  for (std::size_t place = find_word(text, "mutex", 0); place < text.size();
       place = find_word(text, "mutex", place + 1)) {
    const std::size_t name = text.find_first_not_of(blanks, place + std::string_view("mutex").size());
    if (name == std::string::npos || !is_of_word(text[name])) continue;
    std::size_t end = name;
    while (end < text.size() && is_of_word(text[end])) ++end;
    const std::string_view declaration = head_of(text, place);
    const auto has = [&](std::string_view word) { return declaration.find(word) != declaration.npos; };
    const std::size_t block = opening_before(text, place);
    const bool is_local = block != std::string::npos && opens_statements(text, block) && !has("static");
    if (!has("thread_local") && !is_local) continue;
    const std::string rest = is_local ? text.substr(end, end_of_braces(text, block) - end) : "";
    const std::string own_name = text.substr(name, end - name);
    const bool is_handed_on = rest.find("[&") != rest.npos || rest.find('&' + own_name) != rest.npos ||
                              rest.find("ref(" + own_name) != rest.npos;
    if (!is_handed_on) found.push_back({own_name, line_at(source, name), has("thread_local")});
  }
  return found;
}

std::vector<std::string> lines_of_early_returns(const learner_source& source, int line) {
  const std::string text = code_of(source.text);
  const std::size_t place = std::min(begin_of_code(text, line), text.size());
  const std::size_t body = body_around(text, place, lambdas::passed_over);
  if (body == std::string::npos) return {};
  const std::size_t end = end_of_braces(text, body);
  std::vector<std::size_t> early;
  for (std::size_t i = find_word(text, "return", body); i < end; i = find_word(text, "return", i + 1))
    if (body_around(text, i, lambdas::counted) == body) early.push_back(i);
  if (!early.empty()) early.pop_back();
  std::size_t join = 0;
  for (std::size_t i = find_word(text, "join", body); i < end; i = find_word(text, "join", i + 1)) join = i;
  const auto after = std::find_if(early.begin(), early.end(), [&](std::size_t i) { return i > join; });
  if (after != early.begin()) early.erase(after, early.end());
  std::vector<std::string> lines;
  for (const std::size_t i : early) lines.push_back(line_at(source, i));
  return lines;
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
  std::vector<kept_variable> kept = kept_variables(source);
  // What the file keeps as it comes is part of the task.
  const std::vector<kept_variable> given = kept_variables({source.file_name, source.as_it_comes, ""});
  std::erase_if(kept, [&](const kept_variable& one) {
    return std::any_of(given.begin(), given.end(),
                       [&](const kept_variable& other) { return other.name == one.name; });
  });
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
