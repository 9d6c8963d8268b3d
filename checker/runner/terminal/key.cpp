#include "runner/terminal/key.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace runner {
namespace {

struct sequence {
  std::string_view bytes;  ///< after the escape
  key_kind kind;
};

/// The sequences of xterm and compatible terminals, in both modes of the cursor keys.
constexpr std::array<sequence, 14> sequences{{{"[A", key_kind::up},
                                              {"OA", key_kind::up},
                                              {"[B", key_kind::down},
                                              {"OB", key_kind::down},
                                              {"[5~", key_kind::page_up},
                                              {"[6~", key_kind::page_down},
                                              {"[H", key_kind::home},
                                              {"OH", key_kind::home},
                                              {"[1~", key_kind::home},
                                              {"[7~", key_kind::home},
                                              {"[F", key_kind::end},
                                              {"OF", key_kind::end},
                                              {"[4~", key_kind::end},
                                              {"[8~", key_kind::end}}};

/// Bytes of the sequence at the start of `bytes`, after the escape; 0 for none.
std::size_t sequence_length(std::string_view text) {
  if (text.empty() || (text[0] != '[' && text[0] != 'O')) return 0;
  if (text[0] == 'O') return std::min<std::size_t>(text.size(), 2);
  const auto last =
      std::find_if(text.begin() + 1, text.end(), [](char byte) { return byte >= '@' && byte <= '~'; });
  return static_cast<std::size_t>(last - text.begin()) + (last == text.end() ? 0 : 1);
}

}  // namespace

std::vector<key> keys_in(std::string_view bytes) {
  std::vector<key> keys;
  while (!bytes.empty()) {
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    if (byte == '\x1b') {
      const std::string_view rest = bytes.substr(0, sequence_length(bytes));
      bytes.remove_prefix(rest.size());
      const auto known = std::find_if(sequences.begin(), sequences.end(),
                                      [&](const sequence& candidate) { return candidate.bytes == rest; });
      if (rest.empty()) keys.push_back({key_kind::escape});
      if (known != sequences.end()) keys.push_back({known->kind});
    } else if (byte == '\r' || byte == '\n') {
      keys.push_back({key_kind::enter});
    } else if (byte == '\x7f' || byte == '\b') {
      keys.push_back({key_kind::backspace});
    } else if (byte >= ' ' && byte <= '~') {
      keys.push_back({key_kind::character, byte});
    }
  }
  return keys;
}

}  // namespace runner
