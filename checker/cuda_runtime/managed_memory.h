// managed_memory.h: managed memory as host and kernels use it: who may, and how long each stalls until the pages are there.
//
// Not here: where each page is (residency.h), what moving costs (device/migration.h).
// @see CUDA Programming Guide, "Unified Memory"
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cuda_runtime/recording_log.h"
#include "cuda_runtime/residency.h"
#include "device/profile.h"
#include "device/schedule.h"
#include "kernels/access_log.h"

namespace cuda_runtime {

/// All managed memory of the process.
class managed_memory {
 public:
  managed_memory(const device::profile& gpu, kernels::memory& memory, recording_log& log);

  /// From compute capability 3.0.
  bool is_available() const { return is_available_; }
  /// Whether host and device may use it at the same time (from compute capability 6.0).
  bool is_concurrent() const { return is_concurrent_; }

  /// A kernel was issued to that stream.
  void note_kernel(trace::stream_id stream) {
    if (!is_concurrent_) active_streams_.insert(stream);
  }
  /// The host knows which work is complete: what only idle streams may use is the host's again.
  void note_synchronization(const device::schedule& schedule);
  /// Whether the host may touch that managed block now.
  bool may_host_use(const memory_block& block) const;
  /// The host touches a managed block, and stalls until its pages are there. Devices catch up at its next call.
  void touch_from_host(const memory_block& block, address where, std::size_t bytes, address code);
  /// Moves the range to that place; says what was elsewhere.
  device::moved_pages prefetch(address begin, std::size_t bytes, std::int8_t place);
  /// Brings what a kernel touched to its device; returns for how many ns it stalls. Devices without concurrent access
  /// get all that the kernel may use, before it starts.
  double bring_for_kernel(const kernels::kernel_log& touched, const trace::operation& kernel);
  /// Adds a diagnostic for each place in the code that stalled.
  void report_stalls() const;

 private:
  /// How long kernels of one launch, or host code of one place, stalled in all.
  struct stall {
    device::moved_pages moved{};
    double ns = 0;
    device::copy_route route = device::copy_route::host_to_device;
  };
  double add_stall(const std::string& who, trace::location where, device::copy_route route,
                   const device::moved_pages& moved);

  const device::profile& gpu_;
  kernels::memory& memory_;
  recording_log& log_;
  const bool is_available_;
  const bool is_concurrent_;
  std::map<std::pair<std::uint32_t, std::string>, stall> stalls_;  // by place in the code, and who
  std::set<trace::stream_id> active_streams_;  // with kernels that the host does not know to be complete
};

}  // namespace cuda_runtime
