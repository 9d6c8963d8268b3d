// backend.h: what a check runs the program on.
#pragma once

#include <string_view>

namespace checking {

/// On what an exercise runs.
enum class backend {
  virtual_gpu,  ///< simulated: every schedule once, the same every time
  gpu,          ///< this machine's own: the same thing several times
};

/// The word of options and records.
inline std::string_view word_of(backend which) { return which == backend::gpu ? "gpu" : "virtual"; }

}  // namespace checking
