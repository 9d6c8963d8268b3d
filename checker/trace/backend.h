// backend.h: what a program runs on.
#pragma once

#include <string_view>

namespace trace {

/// The virtual GPU, or the GPU of this machine.
enum class backend { virtual_gpu, gpu };

/// The word of options and of results: "virtual" or "gpu".
constexpr std::string_view word_of(backend which) { return which == backend::gpu ? "gpu" : "virtual"; }

/// The virtual GPU of a check when no other is asked for.
inline constexpr std::string_view usual_profile = "teaching";

}  // namespace trace
