// explain.h: why a part of a run took as long as it did: what each cause cost, and what is attainable.
//
// The part is replayed without its causes, in all combinations that matter. What a cause costs is its Shapley
// value: the time it costs when it is taken away, averaged over the orders in which the causes can be taken
// away; to divide the work otherwise (small_chunks, one_piece) comes after all else. So the costs of all
// causes and what is left unexplained add up to the gap between what the part took and the least that its
// busiest engine, or its longest chain of results, allows. With up to four causes all orders are taken, with
// more the rotations of the order of `cause` and of its reverse.
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
  std::size_t times = 0;                    ///< how many calls
  std::size_t needed = 0;                   ///< how many of them some host statement needs
  trace::nanoseconds waited{0};             ///< in all of them
  std::optional<trace::nanoseconds> saves;  ///< the time that leaving out the others would save
};

/// Two engines compared.
struct engine_pair {
  analysis::engine first = analysis::engine::copies_to_device;  ///< one of the two
  analysis::engine second = analysis::engine::kernels;          ///< the other
  trace::nanoseconds both_busy{0};                              ///< while both worked
  double fraction = 0;                                          ///< of the shorter of the two
  double attainable_fraction = 0;                               ///< with all causes cured; 0 without a replay
};

/// Why a part took as long as it did.
struct explanation {
  std::size_t operations = 0;            ///< of the part
  std::size_t explained_operations = 0;  ///< of which so many are explained: the first
  bool is_replayed = false;  ///< costs come from replays; else from the constraints alone, see `causes`
  /// What the replay of the unchanged part differed from the recording: 0 on the virtual GPU. Beyond 5 % the
  /// replay is not trusted and nothing is taken from it.
  double replay_error = 0;
  bool has_inferred_reasons = false;  ///< the recording has no constraints: reasons come from times alone
  trace::nanoseconds begin{0};        ///< of the first call that issued work
  trace::nanoseconds took{0};         ///< from then to the end of its last kernel, copy or memset
  trace::nanoseconds attainable{0};   ///< with all causes cured
  trace::nanoseconds floor{0};        ///< no less than this on this GPU with these operations
  std::array<trace::nanoseconds, analysis::engine_count> busy{};  ///< by engine, of any device
  std::vector<engine_pair> pairs;                                 ///< of engines that were both used
  /// The most expensive first. Without a replay `cost` is the time for which operations were held up by it,
  /// which neither adds up nor is what a cure saves.
  std::vector<cause_cost> causes;
  trace::nanoseconds unexplained{0};  ///< took - floor - costs: filling and draining, and what is not known
  std::vector<analysis::link> critical_path;  ///< the last operation first
  std::vector<analysis::idle_gap> idle_gaps;  ///< the longest first
  std::vector<host_wait> host_waits;          ///< the longest first
};

/// `gpu` is the profile of the recorded GPU; null when there is none: then nothing is replayed. Of more than
/// `max_explained_operations` the first so many are explained, so that the time is bounded.
explanation explanation_of(const analysis::part& part, const device::profile* gpu);

/// Of a longer part only so many operations are explained.
inline constexpr std::size_t max_explained_operations = 50'000;

}  // namespace explain
