// examined_part.h: a part with the facts that are needed to find out how it would run without a cause.
//
// Not here: the programs without causes (cures.h), what a cause costs (explain.h).
//
//     const explain::examined_part examined(part, needed, gpu);
//     if (examined.applies(explain::cause::one_stream)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/part.h"
#include "device/profile.h"
#include "explain/cause.h"
#include "explain/detail/chunks.h"
#include "explain/detail/program.h"

namespace explain {

/// Causes that are cured together.
using causes = std::set<cause>;

/// True when the dependency still orders the operations without those causes: buffers that are not shared are
/// overwritten at any time.
inline bool needs_order(const analysis::dependency& dependency, const causes& cured) {
  return dependency.is_flow || cured.count(cause::shared_buffer) == 0;
}

/// The duration of a call or an operation.
template <typename CallOrOperation>
trace::nanoseconds length(const CallOrOperation& span) {
  return span.end - span.start;
}

/// Why the host waits in this call: synchronization, synchronous_copy, pageable_memory or memory_management; nothing
/// when it does not wait.
std::optional<cause> waits_because_of(const trace::recording& recording, const trace::host_call& call);

/// True when code that the user did not write works in this call before it issues something itself, for example to
/// receive the data of the user's code. No cure can remove that.
bool is_external(const trace::recording& recording, const trace::host_call& call);

/// What the host could wait for instead: before that step ends, which is a later one or the same.
struct later_wait {
  std::uint32_t step = 0;
  operation_number operation = 0;  ///< what the host needs then
  trace::location where{};         ///< the statement that needs it
};

/// A part of a run as a program, and what is known about it.
struct examined_part {
  /// All arguments must outlive it. `gpu` is the profile on which the part was recorded.
  examined_part(const analysis::part& part, const analysis::dependencies& needed, const device::profile& gpu);
  examined_part(const examined_part&) = delete;
  examined_part& operator=(const examined_part&) = delete;

  /// True when the cure would change something.
  bool applies(cause cause) const { return applying.count(cause) != 0; }
  /// Cures move a graph launch with its nodes: the number of the launch, or of an operation outside graphs.
  operation_number unit_of(operation_number number) const {
    const operation_number launch = recorded.operations[number].launch;
    return launch == no_operation ? number : launch;
  }

  const analysis::part& part;
  const trace::recording& recording;
  const analysis::dependencies& needed;
  const device::profile& gpu;
  device::profile roomy_gpu;  ///< without limits to blocks and shared memory of a multiprocessor
  program recorded;           ///< the part as it was
  std::vector<std::vector<analysis::dependency>>
      inputs;  ///< by number of the unit; dependency::earlier is one too
  explain::chunks chunks;
  causes applying;
  /// By step: true when a host statement needs the work for which the call waits before the thread issues more, when the text of a
  /// kernel is shown in it, and when it reports a failure.
  std::vector<bool> is_needed;
  /// By step that is not needed so: where host statements need what it waits for after the thread has issued more, or the part of it
  /// that they need at once.
  std::vector<std::vector<later_wait>> is_needed_later;
  /// By step: true when operations of different streams are in order only because of it.
  std::vector<bool> orders_streams;
  /// By number of the launch: true for graphs of copies, kernels and memsets. Only those are divided.
  std::vector<bool> is_plain_graph;
  /// By number: why a wait for an event takes more than the work behind it needs; nothing for all other operations.
  std::vector<std::optional<cause>> wrong_wait;

 private:
  std::vector<std::vector<analysis::dependency>> inputs_of_units() const;
  void find_needed_waits();
  bool waits_only_for(std::uint32_t step, const std::vector<later_wait>& needed_at_once) const;
  std::optional<std::uint32_t> later_step_for(std::uint32_t wait, trace::call_id before) const;
  void find_plain_graphs();
  bool has_needless_edge(operation_number node) const;
  void find_applying_to_host();
  void find_applying_to_operations();
  void find_applying_to_chunks();

  std::unordered_map<trace::thread_id, std::vector<std::uint32_t>> steps_of_;  // ascending
  std::vector<std::size_t> issued_;  // by step: how many operations its thread has issued when it ends
};

}  // namespace explain
