// cures.h: what can keep work from overlapping, and the same program without it.
//
// A cure changes no result: it takes order and waiting away that no bytes need (dependencies.h), and puts a
// wait between streams wherever bytes need order that it took away. Not here: what a cure gains
// (explain.h).
//
//     const explain::cures possible(part, needed, gpu);
//     for (const explain::variant& each : possible.without({explain::cause::default_stream}))
//     replay(each...);
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
#include "explain/detail/replay.h"

namespace explain {

/// Causes that are cured together.
using causes = std::set<cause>;

/// Whether an operation still has to wait for that one without those causes: buffers that nobody shares are
/// overwritten at any time.
inline bool needs_order(const analysis::dependency& what, const causes& cured) {
  return what.is_flow || cured.count(cause::shared_buffer) == 0;
}

/// A program in which something was cured, and the GPU that it is replayed on.
struct variant {
  program what;                          ///< the cured program
  const device::profile* gpu = nullptr;  ///< never null
  way_to_cure how;                       ///< which choice it is
};

/// What each cause of lost time would take to cure in one part: programs in which it is gone.
class cures {
 public:
  /// All arguments must outlive it. `gpu` is the profile on which the part was recorded.
  cures(const analysis::part& of, const analysis::dependencies& needed, const device::profile& gpu);
  cures(const cures&) = delete;
  cures& operator=(const cures&) = delete;

  /// The part as it was, as a program.
  const program& as_recorded() const { return recorded_; }
  /// Whether the part has anything that the cure would change.
  bool applies(cause what) const { return applying_.count(what) != 0; }
  /// The part without those causes: one program, or several where a cure leaves a choice (how the work is
  /// cut, in which order it is issued).
  std::vector<variant> without(const causes& cured) const;

  /// The part in which calls on the line of that one, and of its name, do not wait unless some host statement
  /// needs it.
  variant without_waits_at(const trace::host_call& line) const;

  /// What is wrong with the wait for an event: it takes more than what is issued behind it needs. Nothing for
  /// other operations, and for waits that take no more.
  std::optional<cause> wrong_wait(operation_number wait) const { return event_wait_[wait]; }

  /// What keeps the host in this call: synchronization, synchronous_copy, pageable_memory or
  /// memory_management; nothing when it does not wait.
  static std::optional<cause> waits_because_of(const trace::recording& seen, const trace::host_call& call);
  /// Whether code that the reader was given works in this call before it issues something itself, such as the
  /// arrival of what the reader's code then works on. No cure can take that away.
  static bool is_given(const trace::recording& seen, const trace::host_call& call);
  /// Whether some host statement needs what the call at that step waits for.
  bool is_needed(std::uint32_t step) const { return is_needed_[step]; }

 private:
  friend class transformation;

  /// What a cure moves as one: a graph's launch with its nodes. The number of the launch, or the operation's.
  operation_number unit_of(operation_number number) const {
    const operation_number launch = recorded_.operations[number].launch;
    return launch == no_operation ? number : launch;
  }
  bool has_needless_edge(operation_number node) const;

  std::vector<std::vector<analysis::dependency>> inputs_of_units() const;
  void find_needed_waits();
  void find_plain_graphs();
  void find_applying_to_host();
  void find_applying_to_operations();
  void find_applying_to_chunks();

  const analysis::part& part_;
  const trace::recording& seen_;
  const analysis::dependencies& needed_;
  const device::profile& gpu_;
  device::profile roomy_;
  program recorded_;
  causes applying_;
  std::vector<std::vector<analysis::dependency>> inputs_;  // by number of the unit; `on` is one too
  chunks chunks_;
  std::vector<bool> is_needed_;  // by step
  /// By number of the launch: nothing but copies, kernels and memsets. Only such graphs are divided
  /// otherwise.
  std::vector<bool> is_plain_graph_;
  std::vector<std::optional<cause>> event_wait_;  // by number: what is wrong with that wait
};

}  // namespace explain
