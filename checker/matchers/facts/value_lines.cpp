#include "matchers/facts/value_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "analysis/race_diagnosis.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/statement_text.h"
#include "report/mistake.h"
#include "report/wording/cause_sentences.h"

namespace matchers {

namespace {

/// Looks for the lines from which the variables of a statement have their values.
class value_search {
 public:
  value_search(const learner_source& source, const std::vector<int>& callers)
      : text_(code_of(source.text)), callers_(callers) {}

  /// The lines, those in the fewest steps and nearest first: in any number of steps up to max_steps, or in one, without those of loops.
  std::vector<int> lines_for(value_of subject, int line, bool is_of_one_step = false) {
    const std::size_t place = begin_of(line);
    if (place == std::string::npos || text_.size() > max_bytes) return {};
    const text_piece statement = statement_at(text_, place);
    const auto stream = stream_in(text_, statement);
    const auto argument = subject == value_of::stream   ? stream
                          : subject == value_of::blocks ? blocks_in(text_, statement)
                          : subject == value_of::bytes  ? bytes_in(text_, statement)
                          : is_of_one_step              ? std::optional(statement)
                                                        : std::nullopt;
    if (argument) {
      follow(*argument, place, is_of_one_step ? max_steps - 1 : 0);
    } else if (is_of_one_step) {
      return {};  // it has no such argument
    } else if (subject == value_of::data && stream) {
      follow({statement.begin, stream->begin}, place, 0);
      follow({stream->end, statement.end}, place, 0);
    } else if (subject != value_of::result) {
      // A function or a loop may stand in one line as a whole.
      const std::size_t end = std::min(text_.find('\n', place), text_.size());
      for (std::size_t next = place; next < end;
           next = text_.find_first_not_of(" \t", statement_at(text_, next).end + 1)) {
        follow(statement_at(text_, next), next, 0);
        if (text_[std::min(statement_at(text_, next).end, text_.size() - 1)] != '{') break;
      }
    } else if (const auto functions = functions_around(text_, place); !functions.empty()) {
      follow_returns(functions.back().body, 0);
    }
    // The step of a loop is a later one.
    if (is_of_one_step) std::erase_if(found_, [](const found_line& one) { return one.step >= max_steps; });
    std::stable_sort(found_.begin(), found_.end());
    std::vector<int> lines;
    for (const found_line& one : found_) {
      if (one.line != line && std::find(lines.begin(), lines.end(), one.line) == lines.end())
        lines.push_back(one.line);
    }
    return lines;
  }

 private:
  static constexpr int max_steps = 3;
  // Chosen: answers have a few kilobytes, and a search in them looks at some hundred names. Beyond it the lines that were found count.
  static constexpr std::size_t max_bytes = 32 << 10;
  static constexpr int max_looks = 20'000;

  struct found_line {
    int step = 0;
    int distance = 0;
    int line = 0;
    bool operator<(const found_line& other) const {
      return std::tie(step, distance) < std::tie(other.step, other.distance);
    }
  };

  std::size_t begin_of(int line) const { return begin_of_code(text_, line); }
  int line_of(std::size_t place) const { return number_of_line(text_, place); }

  void follow(text_piece statement, std::size_t place, int step) {
    if (step == max_steps) return;
    const std::vector<function_text> functions = functions_around(text_, place);
    const text_piece body = functions.empty() ? text_piece{} : functions.back().body;
    for_each_name(text_, statement, [&](const std::string& name, std::size_t use, bool is_called) {
      if (has_looked_enough()) return;
      if (is_called) return follow_call(name, use, step);
      for (const function_text& function : functions) {
        const auto parameter = std::find(function.parameters.begin(), function.parameters.end(), name);
        if (parameter == function.parameters.end()) continue;
        const auto number = static_cast<std::size_t>(parameter - function.parameters.begin());
        follow_in(scope_at(text_, name, use, function.body), name, use, place, statement, step);
        if (!function.name.empty()) follow_argument(function.name, number, step);
        // Through a pointer, it is called by another name.
        if (function.name.empty() || is_handed_on(function.name))
          follow_argument_of_unnamed(function, number, step);
        return;
      }
      follow_outside(name, place, statement, step);
      follow_in(scope_at(text_, name, use, body), name, use, place, statement, step);
    });
  }
  /// To where the variable of that name gets a value in that piece.
  void follow_in(text_piece scope, const std::string& name, std::size_t use, std::size_t place,
                 text_piece statement, int step) {
    for (std::size_t i = find_word(text_, name, scope.begin); i < scope.end && !has_looked_enough();
         i = find_word(text_, name, i + 1)) {
      if (is_given_value(text_, i, name.size()) || (i < use && is_address_of(text_, i)))
        add(i, place, statement, step);
    }
  }
  /// To the definition outside of all functions, of a constant or a member of a class, and to where any function gives it a value.
  void follow_outside(const std::string& name, std::size_t place, text_piece statement, int step) {
    bool is_outside = false;
    std::vector<std::size_t> giving;
    for (std::size_t i = find_word(text_, name, 0); i < text_.size() && !has_looked_enough();
         i = find_word(text_, name, i + 1)) {
      const bool gives = is_given_value(text_, i, name.size()) || is_initializer(text_, i, name.size());
      if (has_type(text_, i) && functions_around(text_, i).empty() && is_variable(i + name.size()))
        is_outside = true;
      if (gives) giving.push_back(i);
    }
    if (!is_outside) return;
    for (const std::size_t i : giving) add(i, place, statement, step);
  }
  /// Whether the name that ends there is, in its definition, that of a variable.
  bool is_variable(std::size_t end) const {
    const std::size_t behind = text_.find_first_not_of(blanks, end);
    return behind != std::string::npos &&
           std::string_view(";={[,").find(text_[behind]) != std::string_view::npos;
  }
  /// Into the functions of the file that have this name, to what they return. What is returned is the call, and no further step.
  void follow_call(const std::string& name, std::size_t call, int step) {
    for (std::size_t i = find_word(text_, name, 0); i < text_.size() && !has_looked_enough();
         i = find_word(text_, name, i + 1)) {
      const std::size_t brace = std::min(text_.find_first_of(";{", i), text_.size());
      const auto function =
          brace < text_.size() && text_[brace] == '{' ? function_at(text_, brace) : std::nullopt;
      const bool is_inside = function && call > function->body.begin && call < function->body.end;
      if (function && function->name == name && !is_inside) follow_returns(function->body, step);
    }
  }
  void follow_returns(text_piece body, int step) {
    for (std::size_t i = find_word(text_, "return", body.begin); i < body.end;
         i = find_word(text_, "return", i + 1)) {
      found_.push_back({step, 0, line_of(i)});
      if (followed_.insert({i, 0, step}).second) follow(statement_at(text_, i), i, step);
    }
  }
  /// Whether the function is handed on by its name, as a pointer to it.
  bool is_handed_on(const std::string& function) const {
    for (std::size_t i = find_word(text_, function, 0); i != std::string::npos;
         i = find_word(text_, function, i + 1)) {
      const std::size_t behind = text_.find_first_not_of(blanks, i + function.size());
      if (behind != std::string::npos &&
          std::string_view(",;)}").find(text_[behind]) != std::string_view::npos)
        return true;
    }
    return false;
  }
  void follow_argument(const std::string& function, std::size_t number, int step) {
    for (const int line : callers_) {
      const std::size_t begin = begin_of(line);
      if (begin == std::string::npos) continue;
      // A function may stand in one line as a whole.
      const text_piece statement = statement_at(text_, begin);
      const std::size_t call = find_word(text_, function, statement.begin);
      if (call >= std::max(statement.end, text_.find('\n', begin))) continue;
      std::size_t open = text_.find_first_not_of(blanks, call + function.size());
      while (open < text_.size() && is_of_word(text_[open])) ++open;  // a constructor: `stream urgent(1)`
      if (open >= text_.size() || (text_[open] != '(' && text_[open] != '{')) continue;
      const std::size_t close = text_[open] == '(' ? closing_of(text_, open) : end_of_braces(text_, open);
      if (close == std::string::npos) continue;
      const std::vector<text_piece> arguments = pieces_of(text_, {open + 1, close});
      found_.push_back({step, 0, line_of(call)});
      // An argument is its parameter, and no further step. A function that calls itself would go on without end.
      const bool is_new = followed_.insert({call, number, step}).second;
      if (is_new && number < arguments.size()) follow(arguments[number], call, step);
    }
  }
  /// To where the lambda expression is called, by whatever name: the first line around it of which the call has as many arguments.
  void follow_argument_of_unnamed(const function_text& lambda, std::size_t number, int step) {
    for (const int line : callers_) {
      const std::size_t begin = begin_of(line);
      if (begin == std::string::npos || (begin > lambda.body.begin && begin < lambda.body.end)) continue;
      const text_piece statement = statement_at(text_, begin);
      for (std::size_t open = text_.find('(', begin); open < statement.end;
           open = text_.find('(', open + 1)) {
        const std::size_t close = closing_of(text_, open);
        if (close == std::string::npos || word_before(text_, open).empty()) continue;
        const std::vector<text_piece> arguments = pieces_of(text_, {open + 1, close});
        if (arguments.size() != lambda.parameters.size()) continue;
        found_.push_back({step, 0, line});
        if (followed_.insert({open, number, step}).second) follow(arguments[number], open, step);
        return;
      }
    }
  }
  void add(std::size_t giving, std::size_t place, text_piece statement, int step) {
    if (giving >= statement.begin && giving < statement.end) return;
    if (!followed_.insert({giving, 0, step}).second) return;
    const text_piece giver = statement_at(text_, giving);
    // Loops come last: nearly every place has some around it.
    const std::size_t open = opening_before(text_, giving, '(');
    const bool is_loop = open != std::string::npos && word_before(text_, open) == "for";
    found_.push_back({step + (is_loop ? 2 : 0), std::abs(line_of(giving) - line_of(place)), line_of(giving)});
    follow(giver, giving, step + 1);
  }

  bool has_looked_enough() { return ++looks_ > max_looks; }

  const std::string text_;
  const std::vector<int>& callers_;
  int looks_ = 0;
  std::vector<found_line> found_;
  std::set<std::tuple<std::size_t, std::size_t, int>> followed_;  // place, argument, step
};

/// 12 of "a.cu:12" in the file of that name; 0 in another file.
int line_in(const learner_source& source, const std::string& place) {
  const std::string file = source.file_name + ':';
  return place.starts_with(file) ? std::stoi(place.substr(file.size())) : 0;
}

/// The expression that begins there without blanks, up to a comma, a semicolon or the end of the parentheses that it is in.
std::string expression_from(const std::string& text, std::size_t place) {
  std::string found;
  for (int depth = 0; place < text.size() && text[place] != ';'; ++place) {
    if (std::string_view("([{").find(text[place]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[place]) != std::string_view::npos) --depth;
    if (depth < 0 || (depth == 0 && text[place] == ',')) break;
    if (std::string_view(blanks).find(text[place]) == std::string_view::npos) found += text[place];
  }
  return found;
}

/// Where the code of the line at that place begins; npos where that is in another file.
std::size_t begin_of_line(const learner_source& source, const std::string& text, const std::string& place) {
  const int line = line_in(source, place);
  return line == 0 ? std::string::npos : begin_of_code(text, line);
}

/// The first two arguments of the copy in the statement there; none in other statements.
std::vector<text_piece> pointers_of_copy(const std::string& text, std::size_t place) {
  if (place >= text.size()) return {};
  const text_piece statement = statement_at(text, place);
  for (const std::string_view call : {"cudaMemcpy", "cudaMemcpyAsync"}) {
    const std::size_t name = find_word(text, call, statement.begin);
    const std::size_t close =
        name < statement.end ? closing_of(text, std::min(text.find('(', name), text.size())) : name;
    if (close == std::string::npos || name >= statement.end) continue;
    std::vector<text_piece> arguments = pieces_of(text, {text.find('(', name) + 1, close});
    if (arguments.size() < 3) continue;
    arguments.resize(2);
    return arguments;
  }
  return {};
}

/// The line of that number without the blanks around it; "" when there is none.
std::string text_of_line(const learner_source& source, int line) {
  std::istringstream lines(source.text);
  std::string text;
  for (int left = line; left > 0; --left) {
    if (!std::getline(lines, text)) return "";
  }
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

std::vector<report::source_line> lines_of_values(const learner_source& source, value_of subject,
                                                 const report::evidence& why) {
  constexpr std::size_t max_lines = 8;
  std::vector<std::string> places = report::places_in(why);
  if (places.empty() || line_in(source, places.front()) == 0) return {};
  if (subject == value_of::result) places.resize(1);
  std::vector<int> lines;
  for (const std::string& place : places) {
    const int line = line_in(source, place);
    std::vector<int> callers;
    for (const std::string& caller : report::callers_of_place(why, place))
      if (const int number = line_in(source, caller); number != 0) callers.push_back(number);
    for (const int found :
         line == 0 ? std::vector<int>() : value_search(source, callers).lines_for(subject, line)) {
      const bool is_known = std::find(lines.begin(), lines.end(), found) != lines.end();
      if (!is_known && lines.size() < max_lines && found != line_in(source, places.front()))
        lines.push_back(found);
    }
  }
  std::sort(lines.begin(), lines.end());
  std::vector<report::source_line> found;
  for (const int number : lines) found.push_back({number, text_of_line(source, number)});
  return found;
}

std::string line_of_choice(const learner_source& source, value_of subject, const std::string& place) {
  const int line = line_in(source, place);
  if (line == 0) return "";
  const std::vector<int> lines = value_search(source, {}).lines_for(subject, line, true);
  return lines.size() == 1 ? fmt::format("{}:{}", source.file_name, lines.front()) : "";
}

std::string line_of_division(const learner_source& source, const report::evidence& why) {
  const std::string text = code_of(source.text);
  std::string division;
  for (const report::source_line& value : lines_of_values(source, value_of::data, why)) {
    const std::size_t begin = begin_of_code(text, value.line);
    if (text.find('/', begin) >= text.find('\n', begin)) continue;
    if (!division.empty()) return "";
    division = fmt::format("{}:{}", source.file_name, value.line);
  }
  return division;
}

void lead_to_choice(const learner_source& source, value_of subject, std::string_view words,
                    report::evidence& why) {
  const std::vector<std::string> places = report::places_in(why);
  const std::string choice = places.empty() ? "" : line_of_choice(source, subject, places.front());
  if (choice.empty()) return;
  why.observation += fmt::format(" The {} is chosen at {}.", words, choice);
  report::lead_first_to(why, choice);
}

std::optional<begin_of_copy> begin_of_copy_at(const learner_source& source, const std::string& place) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_line(source, text, place);
  const std::vector<text_piece> pointers = pointers_of_copy(text, begin);
  const std::vector<function_text> functions = functions_around(text, std::min(begin, text.size()));
  if (pointers.empty() || functions.empty()) return std::nullopt;
  const std::string pointer = expression_from(text, pointers.front().begin);
  const std::size_t sign = pointer.rfind('+');
  const std::string added = sign == std::string::npos ? "" : pointer.substr(sign + 1);
  const bool is_name = !added.empty() && std::isdigit(static_cast<unsigned char>(added[0])) == 0 &&
                       std::all_of(added.begin(), added.end(),
                                   [](char letter) { return is_of_word(letter) || letter == '.'; });
  if (!is_name) return std::nullopt;
  const std::string name = word_before(added, added.size());
  const bool is_of_object = name != added;
  const text_piece scope =
      is_of_object ? text_piece{0, text.size()} : scope_at(text, name, begin, functions.back().body);
  std::set<int> lines;
  for (std::size_t i = find_word(text, name, scope.begin); i < scope.end; i = find_word(text, name, i + 1)) {
    const std::size_t behind = text.find_first_not_of(blanks, i + name.size());
    const bool sets_member = is_of_object && is_member(text, i) && behind != std::string::npos &&
                             text[behind] == '=' && text.compare(behind, 2, "==") != 0;
    if (sets_member || is_given_value(text, i, name.size())) lines.insert(number_of_line(text, i));
  }
  if (lines.size() != 1) return std::nullopt;
  return begin_of_copy{added, fmt::format("{}:{}", source.file_name, *lines.begin())};
}

std::optional<pointer_moved_twice> moved_twice_at(const learner_source& source, const std::string& place) {
  const std::string text = code_of(source.text);
  const std::size_t begin = begin_of_line(source, text, place);
  const std::vector<function_text> functions = functions_around(text, std::min(begin, text.size()));
  if (functions.empty()) return std::nullopt;
  for (const text_piece& pointer : pointers_of_copy(text, begin)) {
    const std::size_t use = text.find_first_not_of(blanks, pointer.begin);
    std::size_t end = use;
    while (end < pointer.end && is_of_word(text[end])) ++end;
    const std::string name = text.substr(use, end - use);
    const std::size_t sign = text.find_first_not_of(blanks, end);
    if (name.empty() || text[sign] != '+') continue;
    const std::string added = expression_from(text, sign + 1);
    const text_piece scope = scope_at(text, name, use, functions.back().body);
    for (std::size_t i = find_word(text, name, scope.begin); i < use; i = find_word(text, name, i + 1)) {
      const std::size_t giving = text.find_first_not_of(blanks, i + name.size());
      const bool adds = text.compare(giving, 2, "+=") == 0 && expression_from(text, giving + 2) == added;
      const bool begins_with_it = text[giving] == '=' && has_type(text, i) &&
                                  expression_from(text, giving + 1).ends_with('+' + added);
      if (adds || begins_with_it)
        return pointer_moved_twice{name, added,
                                   fmt::format("{}:{}", source.file_name, number_of_line(text, i))};
    }
  }
  return std::nullopt;
}

void quote_lines(const learner_source& source, std::string_view mistake, report::evidence& why) {
  const std::vector<std::string> places = report::places_in(why);
  const int line = places.empty() ? 0 : line_in(source, places.front());
  if (line == 0) return;
  why.quoted = text_of_line(source, line);
  const bool is_one_stream = mistake == report::word_of(explain::cause::one_stream);
  // What takes turns with a buffer is often chosen with its stream.
  const bool is_of_both = mistake == analysis::word_of(analysis::race_mistake::buffer_reused);
  if (why.values.empty() && report::is_about_values(mistake)) {
    const value_of subject = is_one_stream ? value_of::stream
                             : is_of_both  ? value_of::statement
                                           : value_of::data;
    why.values = lines_of_values(source, subject, why);
  }
  if (mistake == word_of(report::mistake::error_not_returned))
    why.values = lines_of_values(source, value_of::result, why);
  std::erase_if(why.values, [&](const report::source_line& one) { return one.line == line; });
}

}  // namespace matchers
