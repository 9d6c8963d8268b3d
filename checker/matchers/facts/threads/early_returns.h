// early_returns.h: waits for a condition variable that ended without a notification, after which the thread went on.
//
//     name_early_return(run.recording(), found.why);
#pragma once

#include "report/result.h"
#include "trace/recording.h"

namespace matchers {

/// Of what failed in that run: says that it had such a wait, and leads to its line first. Nothing where it had none.
void name_early_return(const trace::recording& recording, report::evidence& why);

}  // namespace matchers
