// races.h: pairs of conflicting accesses that nothing orders.
//
// Not here: what orders (ordering.h), which pairs have one cause (race_causes.h), how they are told
// (report/wording/race_sentences.h).
//
//     const auto races = analysis::find_races(analysis::part_of(recording, ""));
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/limits.h"
#include "analysis/ordering.h"
#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// One side of a race: an operation, or a host statement.
struct race_side {
  trace::operation_id operation = 0;                   ///< 0: the host
  std::size_t host_access = 0;                         ///< index into recording::host_accesses when the host
  trace::access_mode mode = trace::access_mode::read;  ///< what it does with the bytes
  trace::location statement{};                         ///< of a host function, where it is known
};

/// Two accesses to the same bytes, one of them a write, and nothing that orders them.
struct race {
  race_side first;                      ///< the one issued earlier
  race_side second;                     ///< the one issued later
  trace::allocation_id allocation = 0;  ///< whose bytes
  trace::byte_range bytes;              ///< the first range of bytes in conflict
};

/// The races among what the part did: its operations with each other, and with host accesses at any time
/// (those from before it, and those after its operations are known to be complete, are ordered), and host accesses of
/// the part with those of other threads. One race a
/// pair of sides, in order of the second side. Of the first sides of one second side, those that are ordered
/// before another of them may be left out: a loop that races gives one race an iteration and stream, not one
/// for every two iterations. So may those before one that updates the bytes in the stream of the second side, as that does too:
/// two updates in one stream are no race, since either order may be right. So may those beyond max_races_of_access. nullopt when the backend did not record
/// accesses. `order` is that of the recording.
/// @throws too_large when more than `max_live` accesses could race with later ones.
std::optional<std::vector<race>> find_races(const part& part, const ordering& order,
                                            std::size_t max_live = max_live_accesses);
/// The same with the order of the whole recording, which it finds itself.
std::optional<std::vector<race>> find_races(const part& part);

/// Where the side is: the line of the host statement, or of the call that issued the operation.
trace::location place_of(const trace::recording& recording, const race_side& side);

}  // namespace analysis
