// gpu_of_the_run.h: the profile of the GPU on which the judged program ran, for matchers that ask what it
// would have taken.
//
//     matchers::use_gpu(device::load_profile(file));   // before the criteria are evaluated
#pragma once

#include "device/profile.h"

namespace matchers {

/// From now on gpu_of_the_run() is this one.
void use_gpu(device::profile gpu);

/// Null before use_gpu(): then explanations do without a replay.
const device::profile* gpu_of_the_run();

}  // namespace matchers
