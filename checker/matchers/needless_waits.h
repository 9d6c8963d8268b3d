// needless_waits.h: matchers of waits for work that nothing is needed of. They may cost no time on this device.
//
//     EXPECT_THAT(run(), WaitsOnlyForWhatItNeeds(blend));
#pragma once

#include <string>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// No event makes an operation of the set wait for work of another stream that it needs nothing of: none of its bytes, directly
/// or through others. What is queued after a wait of the host is left out. Passes where the recording does not know which bytes
/// were used. Fails with no_overlap, naming the record.
matcher WaitsOnlyForWhatItNeeds(operation_set operations);

/// In the parts "PART 1" to "PART COUNT", each call whose purpose is to wait names a stream into which the learner queues something
/// in that part, or an event that is recorded there. Fails with requirement_missed.
matcher WaitsOnlyForItsOwnStreams(std::string part_name, int count);

}  // namespace matchers
