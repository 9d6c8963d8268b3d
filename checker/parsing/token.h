// token.h: preprocessed C++ text as a list of tokens, each with the file, line and column it came from.
//
// Line markers are understood, pragmas and other directives are passed over (they stay in the gap between two
// tokens). Angle brackets are always single tokens, so that `<<<` and `>>` are decided by who reads them. Not
// here: what the tokens mean (cuda_compiler/constructs.h).
//
//     token_list tokens = read_tokens("# 7 \"a.cu\"\nk<<<1, 2>>>();");   // tokens.tokens[0].line == 7
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parsing {

/// As far as translation needs it; keywords are identifiers, `quoted` are strings and characters.
enum class token_kind { identifier, number, quoted, punctuation };

/// One token; it points into the text of its list.
struct token {
  token_kind kind;        ///< see there
  std::string_view text;  ///< its spelling
  std::size_t begin;      ///< offset of the first byte in token_list::text
  int file;               ///< index into token_list::files
  int line;               ///< line in that file
  int column;             ///< byte column in that line, from 1; 0: not known (it came out of a macro)
  int text_line;  ///< line as the preprocessed text has it; differs from `line` inside calls of macros

  /// Whether it is spelled like that.
  bool is(std::string_view spelling) const { return text == spelling; }
};

/// A file that line markers name.
struct source_file {
  std::string quoted_name;        ///< as the line marker writes it, with quotes and escapes
  bool is_system_header = false;  ///< flag 3 of its line marker
  bool is_extern_c = false;       ///< flag 4 of its line marker

  std::string name() const;  ///< the plain path
  bool operator==(const source_file&) const = default;
};

/// The tokens of one preprocessed file.
struct token_list {
  std::string_view text;           ///< all of it; has to outlive the list
  std::vector<source_file> files;  ///< in the order of their first mention
  std::vector<token> tokens;       ///< in the order of the text
  std::vector<std::size_t>
      partners;  ///< for each bracket ( [ { and its closing one, the other's index; else no_token

  static constexpr std::size_t no_token = static_cast<std::size_t>(-1);  ///< no index
};

/// Splits `text` (which the result points into) into tokens. Never fails: text that is no C++ becomes single
/// characters. Without a line marker the file is called "" and lines count from 1.
token_list read_tokens(std::string_view text);

}  // namespace parsing
