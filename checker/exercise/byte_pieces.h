// byte_pieces.h: megabytes that are sent, without one more copy of them.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace exercise {

/// Bytes one behind the other, of which only the small ones are copied.
class byte_pieces {
 public:
  byte_pieces() = default;
  explicit byte_pieces(std::string_view copied) { add(copied); }

  /// Adds a copy.
  void add(std::string_view copied);
  /// Adds bytes that stay as they are while `owner` lives.
  void add(std::string_view bytes, std::shared_ptr<const void> owner);

  std::size_t size() const { return size_; }
  /// Takes the first bytes away, at most so many, and adds them to others.
  void move_to(std::string& others, std::size_t max_bytes);
  /// A copy of all.
  std::string joined() const;

 private:
  struct piece {
    std::string copied;
    std::string_view owned;  // empty: it is a copy
    std::shared_ptr<const void> owner;
    std::string_view bytes() const { return owner ? owned : std::string_view(copied); }
  };

  std::deque<piece> pieces_;
  std::size_t taken_ = 0;  // of the first piece
  std::size_t size_ = 0;
};

}  // namespace exercise
