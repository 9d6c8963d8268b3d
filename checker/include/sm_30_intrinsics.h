// sm_30_intrinsics.h: a name by which programs ask for intrinsic functions.
#pragma once

#include "device_language.h"
