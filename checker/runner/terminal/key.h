// key.h: the keys that a terminal sends, from its bytes.
//
//     for (const runner::key& pressed : runner::keys_in("h\x1b[A")) ...   // h, up
#pragma once

#include <string_view>
#include <vector>

namespace runner {

/// Keys that the screens know.
enum class key_kind { character, up, down, page_up, page_down, home, end, enter, escape, backspace };

/// One key that was pressed.
struct key {
  key_kind kind = key_kind::character;  ///< which key
  char character = 0;                   ///< printable ASCII, of key_kind::character
  bool operator==(const key&) const = default;
};

/// What was read at once: a sequence that the terminal sends for one key is one key, an escape without a
/// sequence is the Escape key, and what is not known (function keys, other alphabets) is left out.
std::vector<key> keys_in(std::string_view bytes);

}  // namespace runner
