// freed_memory.h: plain memory that the program gave back, kept from the C library for a while, so that a use of it is found.
//
// Whatever is kept belongs to nobody: every access to it is a use after it was freed. Large blocks are not kept: the system
// takes them at once, and an access is a fault.
#pragma once

#include <bitset>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "kernels/memory.h"

namespace kernels {

/// The blocks that were freed last.
class freed_memory {
 public:
  static constexpr std::size_t max_block_bytes = 64 << 10;
  static constexpr std::size_t max_bytes = 4 << 20;  ///< of all blocks

  /// The place in the code that freed a block.
  struct origin {
    std::size_t bytes = 0;
    address code = 0;
  };

  /// Keeps the block; false when it is too large.
  bool keep(address begin, std::size_t bytes, address code);
  /// The oldest block, which is no longer kept, while there are more than max_bytes.
  std::optional<address> take_surplus();
  /// Whether a block that is kept has the byte; nullptr when none has.
  const origin* find(address where) const {
    return pages_.test(index_of(where)) ? find_block(where) : nullptr;
  }

 private:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t pages = 4096;
  static std::size_t index_of(address where) { return where / page_bytes % pages; }
  const origin* find_block(address where) const;

  std::map<address, origin> blocks_;
  std::deque<address> order_;
  std::size_t bytes_ = 0;
  std::bitset<pages> pages_;  // where a block was ever kept, by a hash
};

}  // namespace kernels
