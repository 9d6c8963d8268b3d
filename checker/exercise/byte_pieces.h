// byte_pieces.h: megabytes that are handed over, without one more copy of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace exercise {

/// Bytes one behind the other, of which only the small ones are copied.
class byte_pieces {
 public:
  /// Adds a copy.
  void add(std::string_view copied);
  /// Adds bytes that stay as they are while `owner` lives.
  void add(std::string_view bytes, std::shared_ptr<const void> owner);

  /// Calls visit(bytes) for each piece.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const piece& one : pieces_) visit(one.bytes());
  }
  /// A copy of all.
  std::string joined() const;

 private:
  struct piece {
    std::string copied;
    std::string_view owned;  // empty: it is a copy
    std::shared_ptr<const void> owner;
    std::string_view bytes() const { return owner ? owned : std::string_view(copied); }
  };

  std::vector<piece> pieces_;
};

}  // namespace exercise
