// overlap.h: how much of one kind of work ran while another kind ran.
#pragma once

#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// Two sets of operations compared. Busy times are unions of intervals: two copies at once count once.
struct overlap_facts {
  trace::nanoseconds first_busy{0};   ///< while operations of the first set ran
  trace::nanoseconds second_busy{0};  ///< while operations of the second set ran
  trace::nanoseconds both_busy{0};    ///< while operations of both ran
  /// both_busy / min(first_busy, second_busy): 0 when nothing overlaps, 1 when the shorter is wholly hidden;
  /// 0 when one is empty.
  double fraction() const;
};

/// How long operations of each set ran, and how long of both at once. Ids are those of the recording.
overlap_facts overlap(const trace::recording& recording, const std::vector<trace::operation_id>& first,
                      const std::vector<trace::operation_id>& second);

/// A span of time; its end does not belong to it.
struct interval {
  trace::nanoseconds begin{0};
  trace::nanoseconds end{0};
  bool operator==(const interval&) const = default;
};

/// When something of both sets ran: disjoint intervals in ascending order.
std::vector<interval> both_busy_times(const trace::recording& recording,
                                      const std::vector<trace::operation_id>& first,
                                      const std::vector<trace::operation_id>& second);

/// A pair (first, second) that could have overlapped but did not, for the message: the longest operation of
/// `first` during which nothing of `second` ran. 0 when there is none.
trace::operation_id longest_alone(const trace::recording& recording,
                                  const std::vector<trace::operation_id>& first,
                                  const std::vector<trace::operation_id>& second);

/// The pipeline law: `chunks` chunks through three stages of total length h, k, d:
/// (h+k+d)/chunks + (chunks-1)/chunks * max(h,k,d), plus `per_operation` for each operation on the longest stage.
trace::nanoseconds pipeline_time(trace::nanoseconds h, trace::nanoseconds k, trace::nanoseconds d, int chunks,
                                 trace::nanoseconds per_operation);

/// The same with at most `lanes` chunks in flight at once (buffers or streams): a chunk begins only when the
/// chunk `lanes` before it has left the last stage.
trace::nanoseconds pipeline_time_with_lanes(trace::nanoseconds h, trace::nanoseconds k, trace::nanoseconds d,
                                            int chunks, int lanes, trace::nanoseconds per_operation);

/// (serial - actual) / (serial - attainable): 0 for no gain, 1 for all that is attainable; 0 when nothing can
/// be gained.
double overlap_efficiency(trace::nanoseconds serial, trace::nanoseconds actual,
                          trace::nanoseconds attainable);

}  // namespace analysis
