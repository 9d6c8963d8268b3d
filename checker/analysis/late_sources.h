// late_sources.h: what an operation reads although the host writes it only after the operation was queued.
//
//     late_source_of(function, copy, access);   // the host's first statement that writes it
#pragma once

#include "analysis/part.h"
#include "trace/recording.h"

namespace analysis {

/// The first access of a host thread that writes bytes which the operation reads, if the operation had been queued by then and neither
/// host code nor an operation had written any of them before in the part. nullptr when there is none, or the part did not queue the
/// operation. `read` is an access of the operation, or some of its bytes.
const trace::host_access* late_source_of(const part& part, const trace::operation& operation,
                                         const trace::access& read);

}  // namespace analysis
