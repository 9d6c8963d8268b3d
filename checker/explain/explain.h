// explain.h: why a part of a run took as long as it did: the cost of each cause, and the attainable time.
//
// The part is replayed without its causes. The cost of a cause is its Shapley value: the time that removing it saves,
// averaged over the orders in which the causes can be removed; redividing the work (small_chunks, one_piece) comes
// last. The costs and the unexplained rest add up to the gap between the time of the part and the lower bound of its
// busiest engine or its longest chain of results. Up to four causes use all orders, more use the rotations of the order
// of `cause` and of its reverse.
//
//     const explain::explanation why = explain::explanation_of(part, &h200);
//     why.causes.front().cause;   // the first cause by cost
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/part.h"
#include "analysis/reasons.h"
#include "device/profile.h"
#include "explain/cause.h"

namespace explain {

/// Calls of one line in which the host waited.
struct host_wait {
  trace::call_id call = 0;                  ///< the one that waited longest
  std::size_t times = 0;                    ///< number of calls
  std::size_t needed = 0;                   ///< number of them that the host needs at once
  std::size_t later = 0;   ///< number of those that it needs only after it has issued more, ...
  std::size_t partly = 0;  ///< ... and of those of which it needs only a part
  std::size_t orders = 0;                   ///< number of the others that keep operations of streams in order
  trace::nanoseconds waited{0};             ///< in all of them
  std::optional<trace::nanoseconds> saves;  ///< the gain without those that the host does not need
};

/// Two engines compared.
struct engine_pair {
  analysis::engine first = analysis::engine::copies_to_device;
  analysis::engine second = analysis::engine::kernels;
  trace::nanoseconds both_busy{0};  ///< while both worked
  double fraction = 0;              ///< of the shorter of the two
  double attainable_fraction = 0;   ///< with all causes cured; 0 without a replay
};

/// Why a part took as long as it did.
struct explanation {
  std::size_t operations = 0;            ///< of the part
  std::size_t explained_operations = 0;  ///< the first so many of them
  bool is_replayed = false;  ///< costs come from replays; else from the constraints alone, see `causes`
  /// Relative difference between the replay of the unchanged part and the recording: 0 on the virtual GPU. Above 5 %
  /// the replay is not used.
  double replay_error = 0;
  bool has_inferred_reasons = false;  ///< the recording has no constraints: reasons come from times alone
  trace::nanoseconds begin{0};        ///< of the first call that issued work
  trace::nanoseconds took{0};         ///< from then to the end of its last kernel, copy or memset
  trace::nanoseconds attainable{0};   ///< with all causes cured
  trace::nanoseconds floor{0};        ///< lower bound of these operations on this GPU
  std::array<trace::nanoseconds, analysis::engine_count> busy{};  ///< by engine, of any device
  std::vector<engine_pair> pairs;                                 ///< of engines that were both used
  /// The most expensive first. Without a replay `cost` is the time for which it delayed operations: such costs do not
  /// add up and a cure need not save them.
  std::vector<cause_cost> causes;
  trace::nanoseconds unexplained{0};  ///< took - floor - costs: filling and draining, and unknown causes
  std::vector<analysis::link> critical_path;  ///< the last operation first
  std::vector<analysis::idle_gap> idle_gaps;  ///< the longest first
  std::vector<host_wait> host_waits;          ///< the longest first
};

/// `gpu` is the profile of the recorded GPU; without one (null) nothing is replayed. Only the first
/// `max_explained_operations` are explained, so that the time is bounded.
explanation explanation_of(const analysis::part& part, const device::profile* gpu);

inline constexpr std::size_t max_explained_operations = 50'000;

/// Of the causes of `why`, which explains the part, those that delayed one of the operations or what they follow in
/// their stream or by an event, in the same order and each with its clearest case among these. `operations` are of the part.
std::vector<cause_cost> causes_that_delayed(const std::vector<trace::operation_id>& operations,
                                            const analysis::part& part, const device::profile* gpu,
                                            const explanation& why);

}  // namespace explain
