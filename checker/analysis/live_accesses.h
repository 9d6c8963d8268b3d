// live_accesses.h: the accesses to one allocation that a later access could still race with.
//
// The allocation is divided where accesses begin and end; each segment keeps its accesses by stream or host
// thread and by mode, latest last. What a later access of the same stream covers is forgotten, and so is
// everything before a write that all of it is ordered before: whoever races with the forgotten one races with
// the newer one too. Not here: which pairs are reported (races.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/byte_segments.h"
#include "analysis/ordering.h"
#include "trace/recording.h"

namespace analysis {

/// One access of an operation or of the host.
struct placed_access {
  std::size_t side = 0;  ///< number of its side, ascending in the order in which sides are issued
  trace::operation_id operation = 0;  ///< 0: the host
  std::uint32_t step = 0;             ///< of the operation
  host_point host;                    ///< when the host
  std::uint64_t timeline = 0;         ///< of its stream or host thread
  trace::thread_id staged_by =
      0;  ///< the source of a copy whose call returns, in this thread, when it is read; else 0
  const trace::access* access = nullptr;  ///< the bytes, and what was done with them
};

/// Accesses kept, over all allocations.
struct live_access_count {
  std::size_t kept = 0;
  std::size_t max = 0;
};

/// The accesses that a later one may still be in conflict with.
class live_accesses {
 public:
  /// `accesses` is the table that the indices given to the functions below refer to; both outlive this
  /// object. `one_host_thread` allows host accesses to be forgotten as well.
  live_accesses(const ordering& order, const std::vector<placed_access>& accesses, bool one_host_thread,
                live_access_count& count)
      : order_(order), accesses_(accesses), one_host_thread_(one_host_thread), count_(count) {}

  /// Calls `found(index)` for accesses that conflict with the new one on common bytes and have no order with
  /// it: in each segment, stream or host thread, and mode, the latest. Ends when `found` returns false.
  void find_conflicts(std::size_t newcomer, const std::function<bool(std::size_t)>& found) const;

  /// Keeps the new access, which is issued no earlier than all before.
  /// @throws too_large when more than `count.max` would be kept.
  void add(std::size_t newcomer);

 private:
  enum class relation { before, after, unordered };
  struct group {
    std::uint64_t timeline = 0;
    trace::thread_id staged_by = 0;
    std::vector<std::uint32_t> members;  // the latest last
  };
  struct segment {
    std::uint64_t end = 0;
    std::array<std::vector<group>, 3> groups;  // by mode; by timeline
  };

  static const std::vector<group>& groups_of(const segment& part, trace::access_mode mode) {
    return part.groups[static_cast<std::size_t>(mode)];
  }
  static std::size_t members_of(const segment& part);
  std::optional<std::size_t> latest_conflict(const group& group, const placed_access& newer) const;
  relation relate(const placed_access& older, const placed_access& newer) const;
  bool is_all_before(const segment& part, const placed_access& newer) const;
  bool may_forget(const placed_access& older) const { return older.operation != 0 || one_host_thread_; }
  void add_to(segment& part, std::uint32_t newcomer);
  void forget_covered(group& group, const placed_access& newer);

  const ordering& order_;
  const std::vector<placed_access>& accesses_;
  bool one_host_thread_;
  byte_segments<segment> segments_;
  live_access_count& count_;
};

}  // namespace analysis
