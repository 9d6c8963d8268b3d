// cases.h: the waits of some operations of a part by cause, and the clearest example of each.
//
//     explain::cases cases(part, part.operations, needed, reasons, gpu, examined);
//     cases.describe(cost);
#pragma once

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/part.h"
#include "analysis/reasons.h"
#include "device/profile.h"
#include "explain/cause.h"
#include "explain/detail/examined_part.h"

namespace explain {

/// The waits of operations of a part by their cause.
class cases {
 public:
  /// All must outlive it. `operations` are of the part. Without `gpu` and `examined`, which may be null, less is known.
  cases(const analysis::part& part, const std::vector<trace::operation_id>& operations,
        const analysis::dependencies& needed, const analysis::reasons& reasons, const device::profile* gpu,
        const examined_part* examined);

  /// True when reasons come from times alone.
  bool are_inferred() const { return are_inferred_; }
  /// The causes by the time for which they delayed operations, the longest first.
  std::vector<cause_cost> by_time_held_up() const;
  /// True when the cause delayed one of the operations.
  bool has(cause cause) const;
  /// Adds the clearest case to the cost of a cause.
  void describe(cause_cost& cost) const;

 private:
  struct example {
    trace::nanoseconds held_up{0};  // in all
    int clarity = 0;                // see clarity_of()
    trace::nanoseconds longest{-1};
    trace::operation_id late = 0;
    trace::operation_id behind = 0;
    trace::call_id call = 0;
    std::size_t times = 0;
  };

  void find_ends_of_pauses();
  void find();
  trace::operation_id work_behind_markers(const analysis::link& link) const;
  int clarity_of(const analysis::link& link) const;
  bool is_issued_by_given_code(trace::operation_id id) const;
  bool is_external(const analysis::link& link) const;
  std::optional<cause> cause_of(const analysis::link& link) const;
  bool is_kept_behind(const trace::operation& late, trace::operation_id other) const;
  std::optional<cause> cause_of_call(const trace::host_call& call) const;
  bool is_hardly_needed(trace::operation_id later, trace::operation_id earlier) const;
  trace::operation_id work_before_release(trace::operation_id release) const;
  bool is_needed(trace::operation_id later, trace::operation_id earlier) const;
  bool overwrites(trace::operation_id later, trace::operation_id earlier) const;
  trace::location own_place_at(const trace::host_call& call) const;
  trace::operation_id own_of(trace::operation_id clearest, const cause_cost& cost) const;
  trace::operation_id place_of(const cause_cost& cost) const;
  void find_overwriting(cause_cost& cost) const;
  void find_member(cause_cost& cost) const;
  void find_later_need(cause_cost& cost) const;
  trace::operation_id unread_copy_of(const program_step& wait) const;
  bool belongs_to(const trace::operation& operation, cause cause) const;

  const analysis::part& part_;
  const trace::recording& recording_;
  const std::vector<trace::operation_id>& operations_;
  const analysis::dependencies& needed_;
  const analysis::reasons& reasons_;
  const device::profile* gpu_;
  const examined_part* examined_;
  bool are_inferred_ = false;
  std::unordered_set<trace::operation_id> ends_of_pauses_;
  std::map<cause, example> examples_;
};

}  // namespace explain
