// redivision.h: the same work with chunks joined, cut into pieces, or issued in another order.
//
//     for (const explain::redivided_program& way : explain::redivide(changed, recording, chunks, inputs, cured))
//       replay(way.program, gpu);
#pragma once

#include <vector>

#include "explain/detail/chunks.h"
#include "explain/detail/examined_part.h"

namespace explain {

/// A program, and how its work was divided.
struct redivided_program {
  explain::program program;
  way_to_cure how;
};

/// The program itself, then each redivision that removes some of the causes. Chunks and inputs are those of the program
/// as it was recorded.
std::vector<redivided_program> redivide(const program& whole, const trace::recording& recording,
                                        const chunks& chunks,
                                        const std::vector<std::vector<analysis::dependency>>& inputs,
                                        const causes& cured);

}  // namespace explain
