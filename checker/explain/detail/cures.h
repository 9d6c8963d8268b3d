// cures.h: the same program without what keeps its work from overlapping.
//
// A cure changes no result: it takes order and waiting away that no bytes need (dependencies.h), and puts a
// wait between streams wherever bytes need order that it took away. Not here: what a cure gains
// (explain.h).
//
//     for (const explain::variant& variant : explain::without(examined, {explain::cause::default_stream}))
//       replay(variant.program, *variant.gpu);
#pragma once

#include <vector>

#include "explain/detail/examined_part.h"

namespace explain {

/// A program in which something was cured, and the GPU that it is replayed on.
struct variant {
  explain::program program;              ///< the cured program
  const device::profile* gpu = nullptr;  ///< never null
  way_to_cure how;                       ///< which choice it is
};

/// The part without those causes: one program, or several where a cure leaves a choice (how the work is cut, in which
/// order it is issued).
std::vector<variant> without(const examined_part& examined, const causes& cured);

/// The part in which calls on the line of that one, and of its name, do not wait unless some host statement needs it.
variant without_waits_at(const examined_part& examined, const trace::host_call& line);

}  // namespace explain
