// shares.h: the cost of each cause: its Shapley value among all causes of a part.
//
//     const explain::shared_costs costs = explain::share_costs(examined, took);
//     costs.causes.front().cost
#pragma once

#include <vector>

#include "explain/cause.h"
#include "explain/detail/cures.h"
#include "explain/detail/replay.h"

namespace explain {

/// What the causes of a part cost.
struct shared_costs {
  std::vector<cause_cost> causes;  ///< the most expensive first; only cause, cost, alone and how are set
  variant fastest;                 ///< with all causes cured
  replay_times times;              ///< of `fastest`
  trace::nanoseconds best{0};      ///< the shortest time of any replay
};

/// `took` is the recorded time of the part; causes that change less than a 200th of it are left out.
shared_costs share_costs(const examined_part& examined, trace::nanoseconds took);

}  // namespace explain
