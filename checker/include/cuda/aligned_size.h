// cuda/aligned_size.h: a number of bytes for copies of cuda/barrier and cuda/pipeline.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <cstddef>

namespace cuda {

/// A number of bytes, of addresses that are multiples of `Alignment`.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit constexpr aligned_size_t(::std::size_t bytes) : value(bytes) {}
  constexpr operator ::std::size_t() const { return value; }
};

}  // namespace cuda
