// host_threads.h: matchers of what several host threads do beside each other.
//
//     EXPECT_THAT(run(), ThreadsWaitForTheirOwnWork());
#pragma once

#include <cstddef>

#include "matchers/matcher.h"
#include "matchers/operation_set.h"

namespace matchers {

/// So many host threads launch kernels of the set. Fails with requirement_missed, naming the first launch.
matcher LaunchedByThreads(std::size_t threads, operation_set launched);

/// No call of a thread is held up by work that another thread has queued. Fails with requirement_missed, naming the call.
matcher ThreadsWaitForTheirOwnWork();

/// At some time operations of the set from two threads are queued or run; with one thread, or none of the set, it passes. Fails
/// with no_overlap, naming the first call of the thread that came too late, or no line where that was started too late:
/// the start of a thread is no call of CUDA.
matcher ThreadsWorkBesideEachOther(operation_set set);

}  // namespace matchers
