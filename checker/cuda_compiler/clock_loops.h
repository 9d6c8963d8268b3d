// clock_loops.h: loops that only wait for the clock, as "sleep kernels" have them.
//
// Such a loop reads clock() or clock64(), assigns to local variables and compares; nothing else depends on how often it
// goes round. Not here: how its rounds are left out (include/device_language.h, kernels/clock_wait.h).
//
//     for (const clock_loop& loop : find_clock_loops(navigator(tokens))) use(loop.begin, loop.assigned);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda_compiler/navigator.h"

namespace cuda_compiler {

/// One such loop.
struct clock_loop {
  std::size_t begin;                  ///< its `while`, `do` or `for`
  std::size_t end;                    ///< its last token
  std::vector<std::string> assigned;  ///< local variables from outside that it assigns to, by name
};

/// The outermost such loops, in the order of the source. Loops with other calls, with indirections, with counters or
/// with tests for equality are left as they are.
std::vector<clock_loop> find_clock_loops(const navigator& tokens);

}  // namespace cuda_compiler
