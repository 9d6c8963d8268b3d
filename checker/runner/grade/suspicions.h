// suspicions.h: lines of a submission that no lesson asks for and that a forger needs.
//
// A hint for a person, not a verdict: there are honest reasons for each, and ways round each.
//
//     runner::suspicions_in("asm(\"nop\");")   // {1, "inline assembly"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A line, and what it holds.
struct suspicion {
  int line = 0;
  std::string name;  ///< "inline assembly"
  bool operator==(const suspicion&) const = default;
};

/// Inline assembly, syscall(), functions that start or signal another process, symbols looked up by name, /proc, numbers used as
/// addresses, functions marked as constructors, macros over names of CUDA, and names of the checker; each once, at its first line.
/// Comments do not count.
std::vector<suspicion> suspicions_in(std::string_view source);

}  // namespace runner
