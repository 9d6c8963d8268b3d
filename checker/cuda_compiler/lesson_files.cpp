#include "cuda_compiler/lesson_files.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "parsing/pattern.h"
#include "parsing/token.h"

namespace cuda_compiler {

using parsing::read_tokens;
using parsing::token;
using parsing::token_kind;
using parsing::token_list;
namespace {

namespace fs = std::filesystem;

fs::path real(const fs::path& path) {
  std::error_code unknown;
  const fs::path found = fs::weakly_canonical(path, unknown);
  return unknown ? path : found;
}

bool is_in(const fs::path& file, const fs::path& file_or_folder) {
  return std::mismatch(file_or_folder.begin(), file_or_folder.end(), file.begin(), file.end()).first ==
         file_or_folder.end();
}

/// "../x", "/x" and "a/../../x", and what is not written out.
bool may_leave_the_folders(std::string_view argument) {
  const std::size_t begin = argument.find_first_not_of(" \t(");
  if (begin == argument.npos || (argument[begin] != '<' && argument[begin] != '"')) return true;
  const std::size_t end = argument.find(argument[begin] == '<' ? '>' : '"', begin + 1);
  const fs::path name(argument.substr(begin + 1, end - begin - 1));
  return name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end();
}

/// Directives begin with a dot, and an escape may hide one. A dot inside a word is none: "mov.u32".
bool may_hold_directive(std::string literal) {
  for (const std::string_view harmless : {"\\n", "\\t"}) {
    for (std::size_t at; (at = literal.find(harmless)) != literal.npos;) literal.erase(at, harmless.size());
  }
  const auto is_of_word = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) || one == '_';
  };
  for (std::size_t dot = literal.find('.'); dot != literal.npos; dot = literal.find('.', dot + 1)) {
    if (dot == 0 || !is_of_word(literal[dot - 1])) return true;
  }
  return literal.find('\\') != literal.npos || literal.find("R\"") != literal.npos;
}

std::optional<foreign_file> find_reading_assembly(std::string_view preprocessed, const fs::path& file) {
  const token_list tokens = read_tokens(preprocessed);
  for (std::size_t i = 0; i < tokens.tokens.size(); ++i) {
    const token& word = tokens.tokens[i];
    const bool is_assembly = word.is("asm") || word.is("__asm__") || word.is("__asm");
    if (!is_assembly || real(tokens.files[word.file].name()) != file) continue;
    std::size_t open = i + 1;
    while (open < tokens.tokens.size() && !tokens.tokens[open].is("(") && !tokens.tokens[open].is(";"))
      ++open;
    const std::size_t close = open < tokens.partners.size() ? tokens.partners[open] : token_list::no_token;
    for (std::size_t k = open; close != token_list::no_token && k < close; ++k) {
      const token& literal = tokens.tokens[k];
      if (literal.kind == token_kind::quoted && may_hold_directive(std::string(literal.text)))
        return foreign_file{word.line, "the assembly here holds a directive, and those read files"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> system_folders_in(std::string_view verbose_output) {
  std::vector<fs::path> folders;
  std::istringstream lines{std::string(verbose_output)};
  bool is_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("End of search list")) is_list = false;
    if (is_list && line.starts_with(" ")) folders.push_back(real(line.substr(1)));
    if (line.starts_with("#include <...>")) is_list = true;
  }
  return folders;
}

std::optional<fs::path> first_foreign(const std::vector<fs::path>& read,
                                      const std::vector<fs::path>& allowed) {
  std::vector<fs::path> real_allowed;
  for (const fs::path& path : allowed) real_allowed.push_back(real(path));
  for (const fs::path& file : read) {
    const fs::path found = real(file);
    if (std::none_of(real_allowed.begin(), real_allowed.end(),
                     [&](const fs::path& place) { return is_in(found, place); }))
      return file;
  }
  return std::nullopt;
}

int line_of_include(std::string_view preprocessed, const fs::path& file, const fs::path& path) {
  const fs::path own = real(file);
  const fs::path wanted = real(path);
  int line = 0;      // of the text that follows
  int own_line = 0;  // the last one of the file
  bool is_own = false;
  static const parsing::pattern marker(R"re(# (\d+) "(.*)"((?: \d)*))re");
  std::istringstream lines{std::string(preprocessed)};
  for (std::string text; std::getline(lines, text); ++line) {
    if (!text.starts_with("# ")) {
      if (is_own) own_line = line;
      continue;
    }
    const auto found = marker.match(text);
    if (!found) continue;
    const fs::path name = real(found->at(2));
    if (is_own && found->at(3).find('1') != std::string::npos) own_line = line;
    if (name == wanted) return own_line;
    is_own = name == own;
    line = std::stoi(found->at(1)) - 1;
  }
  return 0;
}

std::optional<foreign_file> find_hidden_reading(std::string_view source, std::string_view preprocessed,
                                                const fs::path& file) {
  static const parsing::pattern asks(
      R"re([ \t]*#(?:.*?(__has_include_next|__has_include|__has_embed)|[ \t]*(embed)\b)(.*))re");
  std::istringstream lines{std::string(source)};
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    if (line.find('#') == line.npos) continue;
    const auto found = asks.match(line);
    if (!found || !may_leave_the_folders(found->at(3))) continue;
    return foreign_file{number, "what " + found->at(1) + found->at(2) +
                                    " names is no header of the lesson, of CUDA or of C++"};
  }
  const auto has = [&](std::string_view text) { return source.find(text) != source.npos; };
  if (has("asm") || has("##") || has("%:%:")) return find_reading_assembly(preprocessed, real(file));
  return std::nullopt;
}

}  // namespace cuda_compiler
