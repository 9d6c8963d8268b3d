// key.h: the keys that a terminal sends, from its bytes.
//
//     for (const runner::key& pressed : runner::keys_in("h\x1b[A")) ...   // h, up
#pragma once

#include <string_view>
#include <vector>

namespace runner {

/// The keys that the screens use.
enum class key_kind { character, up, down, page_up, page_down, home, end, enter, escape, backspace };

/// One key that was pressed.
struct key {
  key_kind kind = key_kind::character;
  char character = 0;  ///< printable ASCII, of key_kind::character
  bool operator==(const key&) const = default;
};

/// The keys in the bytes of one read. An escape without a sequence is the Escape key; unknown sequences
/// (function keys, other alphabets) are left out.
std::vector<key> keys_in(std::string_view bytes);

}  // namespace runner
