// memory_box.h: the bytes that a copy or memset touches in one block: rows of equal width at equal distances.
//
// One row is a plain range; several are a part of a pitched matrix (2D), several slices of them a part of a
// volume (3D).
//
//     memory_box tile{begin, 64, 8, 1, 512, 0};   // 8 rows of 64 bytes, 512 bytes apart
//     tile.span_bytes();                          // 7 * 512 + 64
#pragma once

#include <cstddef>

#include "kernels/memory.h"
#include "trace/byte_set.h"

namespace cuda_runtime {

using kernels::address;
using kernels::address_of;
using kernels::memory_block;

/// A range, a rectangle or a cuboid of bytes. Sizes are bytes, rows and slices as said.
struct memory_box {
  address begin = 0;
  std::size_t width = 0;        ///< bytes of a row
  std::size_t height = 1;       ///< rows of a slice
  std::size_t depth = 1;        ///< slices
  std::size_t pitch = 0;        ///< bytes from a row to the next
  std::size_t slice_pitch = 0;  ///< bytes from a slice to the next

  /// One row of so many bytes.
  static memory_box range(address begin, std::size_t bytes) { return {begin, bytes, 1, 1, bytes, bytes}; }

  /// Bytes in it, without what lies between rows and slices.
  std::size_t bytes() const { return width * height * depth; }
  /// From the first byte to behind the last; 0 when it is empty.
  std::size_t span_bytes() const;
  /// The bytes as offsets from `block_begin`, which is not behind `begin`.
  trace::byte_set offsets_from(address block_begin) const;

  /// Copies the bytes, row by row, to or from bytes without gaps.
  void gather(unsigned char* packed) const;
  /// @copydoc gather
  void scatter(const unsigned char* packed) const;
  /// Repeats the lowest `element_bytes` bytes of the value, which rows are a multiple of.
  void fill(int value, std::size_t element_bytes = 1) const;

 private:
  template <typename Visit>
  void each_row(Visit visit) const {
    for (std::size_t slice = 0; slice < depth; ++slice) {
      for (std::size_t row = 0; row < height; ++row) {
        visit(reinterpret_cast<unsigned char*>(begin + slice * slice_pitch + row * pitch));
      }
    }
  }
};

}  // namespace cuda_runtime
