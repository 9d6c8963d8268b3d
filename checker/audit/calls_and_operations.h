// calls_and_operations.h: whether operations are what their calls issue, and calls have the operations that they issue.
#pragma once

#include "trace/recording.h"

namespace audit {

/// Throws contradiction where they do not fit, or where the recording lacks what the virtual GPU always knows.
void require_operations_of_calls(const trace::recording& recording);

}  // namespace audit
