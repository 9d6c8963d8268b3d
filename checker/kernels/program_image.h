// program_image.h: the address ranges of the program's constants and variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kernels {

/// Bytes from `begin`.
struct address_range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool holds(std::uintptr_t where) const { return where - begin < bytes; }
};

/// The segments of the executable, from the first to the last.
extern const address_range program_image;

/// A variable of the program.
struct program_variable {
  std::string name;         ///< "counter", "queue::size"
  bool is_library = false;  ///< of the C++ library, such as std::cout
  address_range where;
};

/// The variable that holds that address, from the symbols of the executable; nullptr: none is known.
const program_variable* find_variable(std::uintptr_t where);

}  // namespace kernels
