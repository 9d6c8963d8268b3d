#include "processes/content_hash.h"

#include <cstdint>

namespace processes {
namespace {

template <typename Word>
void add_bytes(Word& hash, Word prime, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
}

template <typename Word>
std::string hexadecimal(Word hash) {
  std::string digits;
  for (int shift = sizeof hash * 8 - 4; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[static_cast<int>(hash >> shift) & 15];
  return digits;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  add_bytes(hash, std::uint64_t{0x100000001b3}, bytes);
  return hexadecimal(hash);
}

std::string cache_key(const std::vector<std::string_view>& parts) {
  using word = unsigned __int128;
  constexpr word prime = (static_cast<word>(1) << 88) + 0x13b;
  word hash = (static_cast<word>(0x6c62272e07bb0142) << 64) + 0x62b821756295c58d;
  for (const std::string_view part : parts) {
    add_bytes(hash, prime, std::to_string(part.size()) + ':');
    add_bytes(hash, prime, part);
  }
  return hexadecimal(hash);
}

}  // namespace processes
