#include "exercise/captured_output.h"

#include <algorithm>

namespace exercise {

void captured_output::add(std::string_view bytes) {
  total_bytes_ += bytes.size();
  const std::size_t for_head = std::min(bytes.size(), max_head_bytes_ - head_.size());
  head_ += bytes.substr(0, for_head);
  bytes.remove_prefix(for_head);
  if (bytes.size() > max_tail_bytes_) bytes.remove_prefix(bytes.size() - max_tail_bytes_);
  tail_ += bytes;
  if (tail_.size() > 2 * max_tail_bytes_) tail_.erase(0, tail_.size() - max_tail_bytes_);
}

std::string captured_output::text() const {
  if (!was_cut()) return head_ + tail_;
  const std::size_t left_out = total_bytes_ - max_head_bytes_ - max_tail_bytes_;
  return head_ + "\n[... " + std::to_string(left_out) + " bytes left out ...]\n" +
         tail_.substr(tail_.size() - max_tail_bytes_);
}

}  // namespace exercise
