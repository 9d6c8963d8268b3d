// position_writer.h: writes tokens so that the compiler sees each on its own line and column.
//
// Where the text before a token does not end at the token's place, a line marker and blanks are written
// first. Pragmas and markers in the gaps between tokens are kept. Not here: what is written (translator.h).
//
//     position_writer out(tokens);
//     out.original(0);
//     out.inserted("::virtual_gpu::launch(", 7);   // as if it stood where token 7 stands
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parsing/token.h"

namespace cuda_compiler {

/// Text that grows token by token, and the place that its end has for the compiler.
class position_writer {
 public:
  explicit position_writer(const parsing::token_list& source);

  /// The token itself, with the gap in front of it when it follows the token written last.
  void original(std::size_t index) { replaced(index, source_.tokens[index].text); }
  /// Another text at the token's place; empty: only the gap.
  void replaced(std::size_t index, std::string_view text);
  /// Text that is not in the source, at the place of token `anchor`.
  void inserted(std::string_view text, std::size_t anchor);
  /// Text that is not in the source, right behind what was written last.
  void appended(std::string_view text);
  /// Passes over the tokens up to `index`, which were written elsewhere.
  void continue_behind(std::size_t index) {
    last_ = index;
    is_behind_other_text_ = true;
  }

  /// Everything written, and the gap behind the last token.
  std::string finish();

 private:
  void write_gap(const parsing::token& next, std::string_view gap);
  void move_to(const parsing::token& place, std::string_view blanks);
  void start_line(const parsing::token& place);

  const parsing::token_list& source_;
  std::string text_;
  std::size_t last_ = parsing::token_list::no_token;  ///< the token written last
  bool is_behind_other_text_ = false;  ///< the next token does not follow the one before it in the source
  int file_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace cuda_compiler
