// cuda.h: the header of the driver API, which many programs include without need of it. Nothing of that API is modelled, so
// nothing of it is declared here.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION
