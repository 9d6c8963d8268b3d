// places.h: the lines of the program at which calls were made and operations issued.
//
//     recording.describe(analysis::place_of_operation(recording, kernel))   // "async_copy.cu:41"
#pragma once

#include "trace/recording.h"

namespace analysis {

/// The place of the call; the unknown one for call 0.
trace::location place_of_call(const trace::recording& recording, trace::call_id call);
/// The place of the call that issued the operation; of a graph's node, of the call that put it into its graph.
trace::location place_of_operation(const trace::recording& recording, trace::operation_id operation);
/// The place of the call that issued the operation; of a graph's node, of the launch of the graph.
trace::location place_of_issue(const trace::recording& recording, trace::operation_id operation);
/// The line that started the thread; the unknown one for a thread that the recording does not see start.
trace::location place_of_start(const trace::recording& recording, trace::thread_id thread);

}  // namespace analysis
