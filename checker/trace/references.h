// references.h: checks that the ids inside a recording name entries that it holds.
//
// Analyses index by id without checks; recordings from other processes are checked here, once, when they are read.
//
//     if (const auto broken = trace::first_broken_reference(recording)) fail(*broken);
#pragma once

#include <optional>
#include <string>

#include "trace/recording.h"

namespace trace {

/// The first id that names nothing (or, for `captured`, not an earlier event record), in words: "operation 7
/// names stream 12, which the recording does not hold". Nothing when all ids are sound.
std::optional<std::string> first_broken_reference(const recording& recording);

}  // namespace trace
