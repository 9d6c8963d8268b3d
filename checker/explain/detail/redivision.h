// redivision.h: the same work, divided otherwise: chunks joined, cut into pieces, issued in another order.
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
  explain::program program;  ///< does the same as the one before
  way_to_cure how;           ///< which choice it is
};

/// The program as it is, and then in each other way that takes causes out of it; without those of the causes that are
/// about dividing work, there is none. The chunks, and what their operations need, are those of the program as it was
/// recorded.
std::vector<redivided_program> redivide(const program& whole, const trace::recording& recording,
                                        const chunks& chunks,
                                        const std::vector<std::vector<analysis::dependency>>& inputs,
                                        const causes& cured);

}  // namespace explain
