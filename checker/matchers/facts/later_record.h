// later_record.h: a stream that waits for a later record of an event than the work behind its wait needs.
//
//     if (tell_of_later_record(run, kernel, why)) return report::word_of(explain::cause::event_recorded_again);
#pragma once

#include "matchers/facts/run_facts.h"
#include "report/result.h"
#include "trace/recording.h"

namespace matchers {

/// Where a wait for an event held the operation up, and all that the work behind the wait needs of other streams was done at an earlier
/// record of that event: says so, and leads to the wait and the record that it took. Whether it is so; false where the touched bytes
/// are not recorded.
bool tell_of_later_record(const run_facts& run, const trace::operation& late, report::evidence& why);

}  // namespace matchers
