// vector_functions.h: make_float4 and the like, beside the types that they make.
#pragma once

#include "vector_types.h"
