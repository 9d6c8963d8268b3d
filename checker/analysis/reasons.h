// reasons.h: what decided when each operation started, followed back as far as one wants to know.
//
// A backend that knows the constraints records them; where they are absent the deciding one is inferred from
// the times: of what the rules of streams make an operation wait for, and of the copies that had its engine,
// the one that ended last before the start. Then it is marked, and work queues, room on the multiprocessors
// and staging are not among the candidates. Not here: what a cause costs in all (explain/explain.h).
//
//     const analysis::reasons why(part);
//     const analysis::reason first = why.root_of(kernel).why;
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// The constraint that decided the start of an operation.
struct reason {
  trace::constraint constraint;  ///< the constraint
  trace::nanoseconds cost{0};    ///< how much earlier the operation's other constraints had let go
  bool is_inferred = false;      ///< from times, where the recording has no constraints
};

/// An operation and why it did not start earlier.
struct link {
  trace::operation_id operation = 0;  ///< what was held up
  std::optional<reason> why;          ///< nothing when it is not known
  trace::call_id host_was_in = 0;  ///< host_issue: the call that kept the host from issuing it; 0: none did
};

/// The parts of a GPU that work side by side. Each device has its own.
enum class engine { copies_to_device, copies_to_host, kernels, inside_device, between_devices };
/// How many engines there are.
inline constexpr int engine_count = 5;
/// Where the operation works; nothing for markers, host functions, and copies from host to host.
std::optional<engine> engine_of(const trace::recording& recording, const trace::operation& operation);

/// Time between the first and the last operation of an engine in which it had nothing to do.
struct idle_gap {
  engine where = engine::kernels;  ///< the engine that had nothing to do
  trace::nanoseconds begin{0};
  trace::nanoseconds end{0};
  trace::operation_id ended_by = 0;  ///< the operation that ran next
  link root;                         ///< why that did not run earlier, followed to the root
};

/// Why the operations of a part did not start earlier.
class reasons {
 public:
  /// `of` must outlive it.
  explicit reasons(const part& part);

  /// Why this operation did not start earlier; nothing when it is not known.
  std::optional<reason> reason_of(trace::operation_id operation) const;
  /// The same, with the operation.
  link link_of(trace::operation_id operation) const;
  /// Follows "the previous operation of its stream", and in graphs "the one on which it depends", back to the
  /// first operation that was held up by something else. The operation itself when that is not the reason, or
  /// when the way leads to nothing but the begin of the stream.
  link root_of(trace::operation_id operation) const;
  /// What the host thread waited for last before it issued that; 0: for nothing of the part.
  trace::operation_id waited_for_before(const trace::operation& issued) const;
  /// From the operation that ended last back to the first one: each waited for the one behind it in the list,
  /// or was issued by a host thread that had waited for it.
  std::vector<link> critical_path() const;
  /// The longest first.
  std::vector<idle_gap> idle_gaps() const;

 private:
  void infer();
  void find_roots();
  trace::call_id host_was_in(const trace::operation& late, trace::nanoseconds since) const;
  void look_from(trace::nanoseconds time, link& late) const;
  trace::operation_id waited_for_in(const trace::host_call& call) const;
  bool is_in_part(trace::operation_id id) const;
  trace::nanoseconds end_before(trace::operation_id id) const;

  const part& part_;
  const trace::recording& recording_;
  std::vector<trace::operation_id> by_end_;
  std::unordered_map<trace::thread_id, std::vector<trace::call_id>> calls_of_;  // in their order
  std::unordered_map<trace::operation_id, reason> inferred_;                    // where nothing is recorded
  std::vector<trace::operation_id> before_in_stream_;  // by number in the part; 0: none
  std::vector<trace::operation_id> roots_;  // by number in the part: the end of the way along its stream
};

}  // namespace analysis
