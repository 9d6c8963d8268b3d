// sealed_bytes.h: messages that one process hands to another in memory: written once, then nobody can change them.
//
// The bytes are copied once by who writes them and not at all by who reads them. Not here: what they mean (message.h).
//
//     const int descriptor = exercise::make_sealed(exercise::encode_all(requests));  // is passed on
//     const exercise::sealed_bytes received(descriptor);                             // in the other process
//     exercise::decode_all(received.all());
#pragma once

#include <cstddef>
#include <string_view>

#include "exercise/byte_pieces.h"

namespace exercise {

/// A new descriptor, closed on exec, of memory that holds these bytes and can only be read. Throws std::system_error.
int make_sealed(const byte_pieces& bytes);

/// Whether the descriptor is of memory that nobody can change, shorten or lengthen any more.
bool is_sealed(int descriptor);

/// Sealed memory, mapped to read.
class sealed_bytes {
 public:
  /// The descriptor may be closed afterwards. Throws std::runtime_error when it is not of sealed memory or of more than
  /// `max_bytes`, std::system_error when the system refuses.
  explicit sealed_bytes(int descriptor, std::size_t max_bytes = std::size_t{1} << 30);
  sealed_bytes(const sealed_bytes&) = delete;
  sealed_bytes& operator=(const sealed_bytes&) = delete;
  ~sealed_bytes();

  /// Valid until it is destroyed.
  std::string_view all() const { return {begin_, size_}; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace exercise
