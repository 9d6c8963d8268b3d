// matchers.h: everything a check.cpp includes: GoogleMock, the criteria, and the matchers of this folder.
//
// Each matcher says in one line of the rubric what must hold, and on failure files four-part evidence
// (findings.h). What lives here: only the list. Each matcher has a header of its own.
#pragma once

#include <gmock/gmock.h>

#include "harness/copies_use_pinned_memory.h"
#include "harness/criterion.h"
#include "harness/destroys_its_streams.h"
#include "harness/has_no_failed_calls.h"
#include "harness/host_works_while.h"
#include "harness/host_works_while_device_is_busy.h"
#include "harness/is_ordered.h"
#include "harness/operation_set.h"
#include "harness/overlaps.h"
#include "harness/pins_at_most.h"
#include "harness/poison.h"
#include "harness/queues_all_work_before_waiting.h"
#include "harness/releases_pinned_memory.h"
#include "harness/reports_errors.h"
#include "harness/returns.h"
#include "harness/run_at_once.h"
