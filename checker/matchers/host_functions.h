// host_functions.h: matchers of functions of the host in streams (cudaLaunchHostFunc, cudaStreamAddCallback).
//
//     EXPECT_THAT(run(), HostFunctionsAreShort().at_most(0.3));
#pragma once

#include "matchers/matcher.h"

namespace matchers {

/// Each copy to the host is followed by a host function that comes after it (in its stream, or by an event)
/// and not also after the copy to the host of later work in that stream. Fails with requirement_missed, naming
/// the first copy without one; also when nothing is copied to the host.
matcher AnnouncesEachCopyBack();

/// No host function calls CUDA: the virtual GPU notes each such call, and elsewhere the calls that answered
/// cudaErrorNotPermitted count. Fails with requirement_missed, naming the first.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html cudaLaunchHostFunc
matcher CallsNoCudaInHostFunctions();

/// All host functions together take at most `fraction` of the time in which kernels run: each holds its stream
/// while it runs. Fails with requirement_missed, naming the longest; also when there is none at all.
struct HostFunctionsAreShort {
  /// `fraction` must leave room for starting a thread of the driver, which is a part of each function's time.
  matcher at_most(double fraction) const;
};

}  // namespace matchers
