// full_recording.h: for tests of stored forms, a recording in which no field has its default value.
#pragma once

#include "trace/recording.h"

namespace trace {

/// Its lists have 120 entries, or one.
recording full_recording();

}  // namespace trace
