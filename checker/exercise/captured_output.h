// captured_output.h: what a program printed, of which only the first part and the last are kept.
//
//     exercise::captured_output output(64 << 10);
//     output.add(bytes);
//     show(output.text());
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace exercise {

/// What a program printed: the first part and the last, when it is too long to keep.
class captured_output {
 public:
  /// Keeps at most `kept_bytes`, half from the beginning and half from the end.
  explicit captured_output(std::size_t kept_bytes)
      : max_head_bytes_(kept_bytes / 2), max_tail_bytes_(kept_bytes - kept_bytes / 2) {}

  /// Takes the next bytes that the program printed.
  void add(std::string_view bytes);
  /// All bytes that were added, kept or not.
  std::size_t total_bytes() const { return total_bytes_; }
  /// Whether something in the middle was dropped.
  bool was_cut() const { return total_bytes_ > max_head_bytes_ + max_tail_bytes_; }
  /// What was kept; where something is left out, a line says how much.
  std::string text() const;

 private:
  std::size_t max_head_bytes_;
  std::size_t max_tail_bytes_;
  std::size_t total_bytes_ = 0;
  std::string head_;
  std::string tail_;  // up to twice max_tail_bytes_, so that shortening it is rare
};

}  // namespace exercise
