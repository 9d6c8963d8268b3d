#include "exercise/byte_pieces.h"

#include <algorithm>
#include <utility>

namespace exercise {

void byte_pieces::add(std::string_view copied) {
  if (pieces_.empty() || pieces_.back().owner) pieces_.emplace_back();
  pieces_.back().copied += copied;
  size_ += copied.size();
}

void byte_pieces::add(std::string_view bytes, std::shared_ptr<const void> owner) {
  constexpr std::size_t small_bytes = 4096;
  if (bytes.size() <= small_bytes) return add(bytes);
  pieces_.push_back({"", bytes, std::move(owner)});
  size_ += bytes.size();
}

void byte_pieces::move_to(std::string& others, std::size_t max_bytes) {
  while (max_bytes > 0 && !pieces_.empty()) {
    const std::string_view rest = pieces_.front().bytes().substr(taken_);
    const std::string_view moved = rest.substr(0, max_bytes);
    others += moved;
    max_bytes -= moved.size();
    size_ -= moved.size();
    taken_ += moved.size();
    if (moved.size() < rest.size()) return;
    pieces_.pop_front();
    taken_ = 0;
  }
}

std::string byte_pieces::joined() const {
  byte_pieces copy = *this;
  std::string bytes;
  bytes.reserve(size_);
  copy.move_to(bytes, size_);
  return bytes;
}

}  // namespace exercise
