// examined_part.h: what has to be known about a part to work out how it would run without a cause.
//
// Not here: the programs without causes (cures.h), what a cause costs (explain.h).
//
//     const explain::examined_part examined(part, needed, gpu);
//     if (examined.applies(explain::cause::one_stream)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <set>
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

/// Whether an operation still has to wait for that one without those causes: buffers that nobody shares are
/// overwritten at any time.
inline bool needs_order(const analysis::dependency& dependency, const causes& cured) {
  return dependency.is_flow || cured.count(cause::shared_buffer) == 0;
}

/// What keeps the host in this call: synchronization, synchronous_copy, pageable_memory or memory_management; nothing
/// when it does not wait.
std::optional<cause> waits_because_of(const trace::recording& recording, const trace::host_call& call);

/// Whether code that the user did not write works in this call before it issues something itself, such as the arrival
/// of what the user's code then works on. No cure can take that away.
bool is_external(const trace::recording& recording, const trace::host_call& call);

/// A part of a run as a program, and what is known about it.
struct examined_part {
  /// All arguments must outlive it. `gpu` is the profile on which the part was recorded.
  examined_part(const analysis::part& part, const analysis::dependencies& needed, const device::profile& gpu);
  examined_part(const examined_part&) = delete;
  examined_part& operator=(const examined_part&) = delete;

  /// Whether the part has anything that the cure would change.
  bool applies(cause cause) const { return applying.count(cause) != 0; }
  /// What a cure moves as one: a graph's launch with its nodes. The number of the launch, or the operation's.
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
  std::vector<std::vector<analysis::dependency>> inputs;  ///< by number of the unit; `on` is one too
  explain::chunks chunks;
  causes applying;
  /// By step: whether some host statement needs what the call waits for.
  std::vector<bool> is_needed;
  /// By number of the launch: nothing but copies, kernels and memsets. Only such graphs are divided otherwise.
  std::vector<bool> is_plain_graph;
  /// By number, what is wrong with a wait for an event: it takes more than what is issued behind it needs. Nothing
  /// for other operations, and for waits that take no more.
  std::vector<std::optional<cause>> wrong_wait;

 private:
  std::vector<std::vector<analysis::dependency>> inputs_of_units() const;
  void find_needed_waits();
  void find_plain_graphs();
  bool has_needless_edge(operation_number node) const;
  void find_applying_to_host();
  void find_applying_to_operations();
  void find_applying_to_chunks();
};

}  // namespace explain
