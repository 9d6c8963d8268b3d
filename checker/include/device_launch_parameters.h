// device_launch_parameters.h: threadIdx and the like, which cuda_runtime.h has already. Editors that do not
// know CUDA want it, and NVIDIA's project templates include it.
#pragma once

#include "cuda_runtime.h"
