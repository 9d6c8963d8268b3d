// cures.h: the same program without some causes of missing overlap.
//
// A cure changes no result: it removes order and waits that no bytes need (dependencies.h), and adds a wait between
// streams where bytes need order that it removed. Not here: what a cure gains (explain.h).
//
//     for (const explain::variant& variant : explain::without(examined, {explain::cause::default_stream}))
//       replay(variant.program, *variant.gpu);
#pragma once

#include <vector>

#include "explain/detail/examined_part.h"

namespace explain {

/// A cured program, and the GPU for its replay.
struct variant {
  explain::program program;
  const device::profile* gpu = nullptr;  ///< never null
  way_to_cure how;
};

/// The part without those causes: several programs where a cure leaves a choice (how the work is cut, the order of
/// issue).
std::vector<variant> without(const examined_part& examined, const causes& cured);

/// The part in which calls of the same function on the same line wait only where a host statement needs it.
variant without_waits_at(const examined_part& examined, const trace::host_call& line);

}  // namespace explain
