// left_threads.h: host threads for whose end nothing waits when the learner's function returns.
//
//     if (const trace::thread_id left = thread_left_by(run)) tell_of_left_thread(run.recording(), run.source(), left, why);
#pragma once

#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace matchers {

/// The first thread that the learner's file starts in the part and whose calls, there or later, need not be over when the part ends.
/// 0: there is none, or the recording does not know.
trace::thread_id thread_left_by(const run_facts& run);

/// Says where the thread was started, and detached where the file has one line that does so. Leads to these lines first.
void tell_of_left_thread(const trace::recording& recording, const learner_source& source,
                         trace::thread_id thread, report::evidence& why);

}  // namespace matchers
