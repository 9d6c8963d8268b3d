// matchers.h: all matchers that a check.cpp may use.
//
// Each says in one line of the rubric what must hold, and on failure gives four-part evidence (verdict.h).
#pragma once

#include <gmock/gmock.h>

#include "matchers/arguments.h"
#include "matchers/calls_once_each.h"
#include "matchers/copies.h"
#include "matchers/device_memory.h"
#include "matchers/errors.h"
#include "matchers/event_use.h"
#include "matchers/graphs.h"
#include "matchers/held_bytes.h"
#include "matchers/host_functions.h"
#include "matchers/host_threads.h"
#include "matchers/host_time.h"
#include "matchers/host_work.h"
#include "matchers/is_ordered.h"
#include "matchers/launches.h"
#include "matchers/lengths.h"
#include "matchers/needless_waits.h"
#include "matchers/origin.h"
#include "matchers/overlapping.h"
#include "matchers/peer_access.h"
#include "matchers/pinning.h"
#include "matchers/pipeline.h"
#include "matchers/poison.h"
#include "matchers/queued_ahead.h"
#include "matchers/reported_errors.h"
#include "matchers/returns.h"
#include "matchers/source_changes.h"
#include "matchers/streams.h"
