// sm_60_atomic_functions.h: a name by which programs ask for atomic functions.
#pragma once

#include "device_atomic_functions.h"
