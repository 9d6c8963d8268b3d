// builtin_types.h: the name by which older programs ask for the types of the CUDA runtime API.
#pragma once

#include "driver_types.h"
