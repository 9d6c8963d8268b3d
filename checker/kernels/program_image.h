// program_image.h: the address ranges of the program's constants and variables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels {

/// Bytes from `begin`.
struct address_range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool holds(std::uintptr_t where) const { return where - begin < bytes; }
};

/// The segments of the executable, from the first to the last.
extern const address_range program_image;

}  // namespace kernels
