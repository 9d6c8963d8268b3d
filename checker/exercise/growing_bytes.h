// growing_bytes.h: megabytes that arrive piece by piece.
#pragma once

#include <cstddef>
#include <string_view>

namespace exercise {

/// Bytes that grow where they are. Address space is reserved for all that may come, memory is used for what came, in
/// huge pages where the system has them: nothing is copied again when more arrives.
class growing_bytes {
 public:
  /// Append no more than `max_bytes` in all.
  explicit growing_bytes(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  growing_bytes(growing_bytes&& other) noexcept;
  growing_bytes& operator=(growing_bytes&&) = delete;
  ~growing_bytes();

  /// Throws std::length_error beyond max_bytes, std::bad_alloc when the system refuses.
  void append(std::string_view added);
  /// Valid until it is destroyed.
  std::string_view all() const { return {begin_, size_}; }
  std::size_t size() const { return size_; }

 private:
  std::size_t max_bytes_;
  char* begin_ = nullptr;  // reserved by the first bytes
  std::size_t size_ = 0;
};

}  // namespace exercise
