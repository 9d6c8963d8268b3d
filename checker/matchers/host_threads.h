// host_threads.h: matchers of what several host threads do beside each other.
//
//     EXPECT_THAT(run(), ThreadsWaitForTheirOwnWork());
#pragma once

#include <cstddef>

#include "matchers/facts/operation_set.h"
#include "matchers/matcher.h"

namespace matchers {

/// So many host threads launch kernels of the set. Fails with requirement_missed, naming the first launch.
matcher LaunchedByThreads(std::size_t threads, operation_set launched);

/// No call of a thread is held up by work that another thread has queued. Fails with requirement_missed, naming the call.
matcher ThreadsWaitForTheirOwnWork();

/// Each thread that makes a call of CUDA, other than the one that began the run, is joined before the function returns. Fails with
/// requirement_missed, naming the first call of the thread: its start is no call of CUDA. Passes where the recording does not know
/// the order of host threads.
matcher JoinsItsThreads();

/// At some time operations of the set from two threads are queued or run; with one thread, or none of the set, it passes. Fails
/// with no_overlap, naming the first call of the thread that came too late, or no line where that was started too late:
/// the start of a thread is no call of CUDA.
matcher ThreadsWorkBesideEachOther(operation_set set);

}  // namespace matchers
