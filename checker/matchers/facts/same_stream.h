// same_stream.h: work that its stream, a wait of that for an event, or the default stream alone keeps from running beside other work.
//
//     const auto pair = kept_in_order(run, copies, kernels);   // pair->late is behind pair->behind
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "matchers/facts/operation_set.h"
#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// Two operations of one stream, or of two of which one waits for the other.
struct ordered_pair {
  trace::operation_id late = 0;
  trace::operation_id behind = 0;  ///< the earlier one
  trace::operation_id wait = 0;    ///< the last wait for an event by which it is behind; 0: none
  /// The one of the two in the legacy default stream, for which or in which the other waits; 0: none.
  trace::operation_id in_default_stream = 0;
};

/// The word of the mistake by which they are in order: "one_stream", "needless_wait" or "default_stream".
std::string_view mistake_of(const ordered_pair& pair);

/// An operation of the one kind that started late because one of the other kind is before it in a created stream, or before an event of
/// a stream that this one waits for and needs nothing of, or because one of the two is in the legacy default stream; neither needs the
/// other. Of several the pair that could have run side by
/// side for the longest time, of equal ones the first. Nothing where the touched bytes are not recorded.
std::optional<ordered_pair> kept_in_order(const run_facts& run, const operation_ids& first,
                                          const operation_ids& second);

/// Whether the operation and the others need nothing of each other; false where that is not known.
bool is_independent(const run_facts& run, trace::operation_id operation, const operation_ids& others);

/// Says that the one is behind the other, and leads to both lines: first to that in the default stream, or of a copy before a kernel, else to the
/// later one.
void tell_of_order(const run_facts& run, const ordered_pair& pair, report::evidence& why);

/// Of operations that are in so few streams that nearly always one of each runs (`at_once` on average): says that no more of them can
/// run at a time, and, where the learner's function of that name ("": none) returned that number, leads to its `return`. Whether it is so.
bool tell_of_few_streams(const run_facts& run, const operation_ids& operations, double at_once,
                         const std::string& chooser, report::evidence& why);

}  // namespace matchers
