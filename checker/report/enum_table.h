// enum_table.h: tables with one row for each enumerator, in the order of the enumerators.
//
//     static_assert(has_all_rows<&cause_row::cause>(rows, cause::host_busy));
//     const cause_row& row = rows[static_cast<int>(cause)];
#pragma once

#include <cstddef>

namespace report {

/// True when row i is that of enumerator i and the last row that of `last`. `key` is the member with the enumerator.
template <auto key, typename Row, std::size_t count, typename Enum>
constexpr bool has_all_rows(const Row (&rows)[count], Enum last) {
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].*key != static_cast<Enum>(i)) return false;
  }
  return rows[count - 1].*key == last;
}

}  // namespace report
