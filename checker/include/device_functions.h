// device_functions.h: the name by which older programs ask for __syncthreads() and the like.
#pragma once

#include "device_language.h"
