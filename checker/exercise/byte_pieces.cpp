#include "exercise/byte_pieces.h"

#include <utility>

namespace exercise {

void byte_pieces::add(std::string_view copied) {
  if (pieces_.empty() || pieces_.back().owner) pieces_.emplace_back();
  pieces_.back().copied += copied;
}

void byte_pieces::add(std::string_view bytes, std::shared_ptr<const void> owner) {
  constexpr std::size_t small_bytes = 4096;
  if (bytes.size() <= small_bytes) return add(bytes);
  pieces_.push_back({"", bytes, std::move(owner)});
}

std::string byte_pieces::joined() const {
  std::string bytes;
  for_each([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace exercise
