// call_paths.h: through which calls of the program the code of an access or of a call of CUDA was reached.
//
// A statement may be in a function that the user did not write, a library's or that of a lesson: the user's line is that of a
// call further out. Which address is whose line is found out later (exercise/source_lines.h): until then, a location is an
// address in the pseudo file "@code", or in "@code CALLERS", which holds the addresses of the calls around it.
//
//     trace::location where = paths.here(code);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/memory.h"
#include "trace/recording.h"

namespace kernels {

/// The code of the calling thread from the innermost call on: addresses behind calls, as return addresses are. Libraries are
/// left out: they lie above the program, which is linked below 4 GiB.
std::vector<address> calls_underway();
/// While the calling thread, the only one that runs, looks at its calls: the unwinder calls functions that order host threads, and
/// is no part of the program.
extern bool is_unwinding;

/// The pseudo files of one recording.
class call_paths {
 public:
  /// The code, which the calling thread is about to go on with, and the calls around it.
  trace::location here(address code);
  /// Those that locations so far name, in their order: the first is file 1.
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_{"@code"};
  std::map<std::vector<address>, std::uint32_t> known_{{{}, 1}};
};

}  // namespace kernels
