// host_defines.h: the name by which older programs ask for __device__ and the like, which need no header here.
#pragma once

#include "driver_types.h"
