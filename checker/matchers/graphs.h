// graphs.h: matchers of CUDA graphs: how many are instantiated, what goes through them, and what is left of them.
//
//     EXPECT_THAT(run(), LaunchesOneGraph().times(16));
#pragma once

#include <cstddef>
#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// The part instantiates one graph and launches it that often, and every kernel, copy and memset of the part is a node of a
/// launch. Fails with requirement_missed, naming the second instantiation, what was queued beside the graph, or the last launch.
struct LaunchesOneGraph {
  matcher times(std::size_t launches) const;
};

/// In the graphs that the part launches no copy to the device depends on a kernel or on a copy to the host, and no kernel on a copy
/// to the host: pieces do not wait for each other. Fails with no_overlap, naming the call that made the first such node.
matcher StepsWaitForNoLaterOne();

/// The part destroys as many graphs as it makes, and as many executable ones as it instantiates. Fails with
/// requirement_missed, naming the last call that made one.
matcher DestroysItsGraphs();

/// The function gave the caller a graph: what is answered as "FUNCTION.graphs" is 1. Fails with requirement_missed, naming the function.
matcher GivesAGraph(std::string function);

}  // namespace matchers
