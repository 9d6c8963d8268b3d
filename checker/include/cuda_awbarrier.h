// cuda_awbarrier.h: barriers that are objects, as C.
#pragma once
#include "cuda_awbarrier_primitives.h"
