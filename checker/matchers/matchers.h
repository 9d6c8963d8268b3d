// matchers.h: everything a check.cpp includes: GoogleMock, the criteria, and the matchers of this folder.
//
// Each matcher says in one line of the rubric what must hold, and on failure files four-part evidence
// (findings.h). What lives here: only the list. Each matcher has a header of its own.
#pragma once

#include <gmock/gmock.h>

#include "matchers/copies_use_pinned_memory.h"
#include "matchers/destroys_its_streams.h"
#include "matchers/has_no_failed_calls.h"
#include "matchers/host_works_while.h"
#include "matchers/host_works_while_device_is_busy.h"
#include "matchers/is_ordered.h"
#include "matchers/operation_set.h"
#include "matchers/overlaps.h"
#include "matchers/pins_at_most.h"
#include "matchers/poison.h"
#include "matchers/queues_all_work_before_waiting.h"
#include "matchers/releases_pinned_memory.h"
#include "matchers/reports_errors.h"
#include "matchers/returns.h"
#include "matchers/run_at_once.h"
