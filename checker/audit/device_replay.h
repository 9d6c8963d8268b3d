// device_replay.h: the recorded operations once more, at the times at which the host issued them.
//
//     device_replay again(recording, {.gpu = h200});
//     again.run();
//     again.completed(copy);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "audit/audit.h"
#include "device/graph_branches.h"
#include "device/schedule.h"

namespace audit {

/// Later than everything, and not the latest: a call returns a little later.
inline constexpr trace::nanoseconds never = trace::nanoseconds::max() / 2;

/// When the host issued the operation: what it recorded is when the device could see it. Nothing where it had no end: then
/// nobody noted it.
std::optional<trace::nanoseconds> issue_time(const trace::operation& operation, const device::profile& gpu);

/// Compares as it goes.
class device_replay {
 public:
  device_replay(const trace::recording& recording, const device::profile& gpu,
                const trace::backend_settings& settings);
  /// Throws contradiction where an operation is not as recorded. Once only.
  void run();

  /// What the operation was to the device.
  const device::request& request(trace::operation_id id) const { return requests_[id - 1]; }
  /// When the host could know of its end; `never` for what did not end.
  trace::nanoseconds completed(trace::operation_id id) const { return completed_[id - 1]; }
  /// Waits for which nobody waits.
  bool has_nothing_to_do(trace::operation_id id) const { return has_nothing_to_do_[id - 1]; }
  /// When the host had staged its last byte.
  trace::nanoseconds staged(trace::operation_id id) const { return staged_[id - 1]; }
  /// Kernels and graph launches: there was no room for them until they were issued.
  bool waited_for_room(trace::operation_id id) const { return waited_for_room_[id - 1]; }
  /// Graph launches.
  std::uint32_t branches(trace::operation_id launch) const { return branches_.at(launch); }

 private:
  trace::nanoseconds issue_of(const trace::operation& operation);
  device::request request_of(const trace::operation& operation);
  void add_to_graph(const trace::operation& operation, device::request& request);
  void add_route(const trace::operation& copy, device::request& request);
  void synchronize_before(const trace::operation& operation, trace::nanoseconds time);
  void issue(const trace::operation& operation);
  std::optional<device::kernel_work> work_of(trace::operation_id id) const;
  void compare(trace::operation_id id);
  void step();
  void advance_to(trace::nanoseconds time);
  void note_completions();

  const trace::recording& recording_;
  const trace::backend_settings& settings_;
  const device::profile& gpu_;
  device::schedule schedule_;
  std::vector<device::request> requests_;
  std::vector<trace::nanoseconds> completed_, staged_;
  std::vector<bool> waited_for_room_, has_nothing_to_do_;
  std::vector<bool> has_ended_;
  std::vector<trace::operation_id> not_signalled_;  ///< ended
  std::vector<trace::operation_id> in_staging_;
  std::vector<const trace::host_call*>
      allocations_;  ///< that order all streams of old GPUs, those to come, the next one last
  std::map<trace::operation_id, device::graph_branches> graphs_;
  std::map<trace::operation_id, std::uint32_t> branches_;
  trace::nanoseconds issued_{0};  ///< the last one
  std::uint64_t steps_ = 0;
};

}  // namespace audit
