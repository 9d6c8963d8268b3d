// navigator.h: moving between tokens: over brackets, template arguments, and words with a parenthesis of
// their own.
//
//     navigator tokens(list);
//     tokens.behind_angle(i);   // i is the '<' of `vector<int>`: the index behind its '>'
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "parsing/token.h"

namespace cuda_compiler {

/// Whether the token is spelled like one of these.
template <std::size_t Count>
bool is_one_of(const parsing::token& word, const std::array<std::string_view, Count>& spellings) {
  return std::find(spellings.begin(), spellings.end(), word.text) != spellings.end();
}

/// A view of a token list. Indices behind its end are allowed wherever one is asked about.
class navigator {
 public:
  static constexpr std::size_t none = parsing::token_list::no_token;  ///< no index

  explicit navigator(const parsing::token_list& source) : source_(source), tokens_(source.tokens) {}

  /// The token of an index that exists.
  const parsing::token& at(std::size_t i) const { return tokens_[i]; }
  std::size_t size() const { return tokens_.size(); }
  /// Whether there is such a token, spelled like that.
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  /// Whether there is such a token, an identifier or keyword.
  bool is_word(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == parsing::token_kind::identifier;
  }

  /// The other bracket of a pair; none for other tokens.
  std::size_t partner(std::size_t i) const { return i < tokens_.size() ? source_.partners[i] : none; }
  /// The closing bracket when `i` is an opening one, else `i` itself.
  std::size_t group_end(std::size_t i) const { return partner(i) != none && partner(i) > i ? partner(i) : i; }
  /// The tokens of a word and the parenthesis that follows it; 1 without.
  std::size_t group_length(std::size_t i) const;
  /// What no expression goes beyond: `;` and closing brackets.
  bool is_end(std::size_t i) const;
  /// The index behind the '>' that closes the '<' at `i`; none when it is no bracket.
  std::size_t behind_angle(std::size_t i) const;

 protected:
  const parsing::token_list& source_;          ///< the list
  const std::vector<parsing::token>& tokens_;  ///< its tokens
};

}  // namespace cuda_compiler
