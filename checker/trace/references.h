// references.h: whether the ids inside a recording name things that the recording holds.
//
// Analyses index by id; a recording that came from another process is checked once, here, when it is read.
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
