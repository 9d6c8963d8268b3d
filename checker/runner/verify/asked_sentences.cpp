#include "runner/verify/asked_sentences.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "parsing/pattern.h"

namespace runner {
namespace {

void append_words(std::string& text, const std::string& words) {
  std::istringstream source(words);
  for (std::string word; source >> word;) text += (text.empty() ? "" : " ") + word;
}

/// The words behind the comment mark of a line of nothing but a comment; "" of another line.
std::string comment_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == line.npos || line.compare(begin, 2, "//") != 0) return "";
  return line.substr(std::min(line.find_first_not_of("/< ", begin), line.size()));
}

/// "One. Two `x`." in its sentences.
std::vector<std::string> sentences_in(const std::string& text) {
  std::vector<std::string> sentences;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_end =
        text[i] == '.' && (i + 1 == text.size() || (text[i + 1] == ' ' && i + 2 < text.size() &&
                                                    (std::isupper(text[i + 2]) || text[i + 2] == '`')));
    if (!is_end) continue;
    sentences.push_back(text.substr(begin, i + 1 - begin));
    begin = i + 2;
  }
  if (begin < text.size()) sentences.push_back(text.substr(begin));
  return sentences;
}

/// The blocks of lines that begin with "///" and stand before a function without a body.
std::vector<std::string> function_documentation(std::string_view contract) {
  std::vector<std::string> found;
  std::istringstream lines{std::string(contract)};
  std::string documentation, declaration;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("///")) {
      append_words(documentation, comment_of(line));
      continue;
    }
    if (documentation.empty()) continue;
    declaration += line;
    const std::size_t end = declaration.find_first_of(";{");
    if (end == declaration.npos) continue;
    const bool is_function = declaration[end] == ';' && declaration.find('(') < end;
    if (is_function) found.push_back(documentation);
    documentation.clear();
    declaration.clear();
  }
  return found;
}

std::vector<std::string> todo_texts(std::string_view skeleton) {
  static const parsing::pattern begin(R"( *// TODO \d+: (.*))");
  static const parsing::pattern size(R"((.*\S) *\([^()]*lines?[^()]*\))");
  std::vector<std::string> texts;
  bool is_inside = false;
  std::istringstream lines{std::string(skeleton)};
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = begin.match(line)) {
      texts.emplace_back();
      append_words(texts.back(), found->at(1));
      is_inside = true;
    } else if (is_inside && !comment_of(line).starts_with("end of TODO") && !comment_of(line).empty()) {
      append_words(texts.back(), comment_of(line));
    } else {
      is_inside = false;
    }
  }
  for (std::string& text : texts) {
    if (const auto found = size.match(text)) text = found->at(1);
  }
  return texts;
}

/// The quotations of a comment; with `rest`, what stands outside of them.
std::vector<std::string> quotations_in(const std::string& comment, std::string* rest = nullptr) {
  std::vector<std::string> quotations;
  bool is_quoted = false;
  for (std::size_t begin = 0; begin <= comment.size();) {
    const std::size_t end = std::min(comment.find('"', begin), comment.size());
    const std::string piece = comment.substr(begin, end - begin);
    if (is_quoted) {
      quotations.push_back(piece);
    } else if (rest != nullptr) {
      append_words(*rest, piece);
    }
    is_quoted = !is_quoted;
    begin = end + 1;
  }
  return quotations;
}

}  // namespace

std::vector<std::string> asked_sentences(std::string_view contract, std::string_view skeleton) {
  std::vector<std::string> sentences;
  for (const std::string& documentation : function_documentation(contract)) {
    for (std::string& sentence : sentences_in(documentation)) sentences.push_back(std::move(sentence));
  }
  for (std::string& text : todo_texts(skeleton)) sentences.push_back(std::move(text));
  return sentences;
}

std::vector<quoted_sentence> quoted_sentences(std::string_view check) {
  static const parsing::pattern criterion(R"(CRITERION\( *\w+, *(\w+),.*)");
  constexpr std::string_view not_judged = "Not judged:";
  std::vector<quoted_sentence> quoted;
  std::istringstream lines{std::string(check)};
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    if (const std::string words = comment_of(line); !words.empty()) {
      append_words(comment, words);
      continue;
    }
    if (const auto found = criterion.match(line)) {
      for (const std::string& text : quotations_in(comment)) quoted.push_back({text, found->at(1), ""});
    } else if (comment.starts_with(not_judged)) {
      std::string reason;
      for (const std::string& text : quotations_in(comment.substr(not_judged.size()), &reason))
        quoted.push_back({text, "", ""});
      for (quoted_sentence& sentence : quoted) {
        if (sentence.criterion.empty() && sentence.reason.empty()) sentence.reason = reason;
      }
    }
    comment.clear();
  }
  return quoted;
}

std::string comment_text(std::string_view code) {
  std::string text;
  std::istringstream lines{std::string(code)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find("//");
    if (mark != line.npos) append_words(text, comment_of(line.substr(mark)));
  }
  return text;
}

}  // namespace runner
