// builtin_variables.h: threadIdx, blockIdx and their like, as the running thread sees them.
//
// Programs see them as constants (include/device_language.h); here they are set. The assembler names keep the two
// declarations apart.
#pragma once

#include "include/vector_types.h"
#include "kernels/exported.h"

namespace kernels {

EXPORTED extern uint3 thread_index asm("threadIdx");
EXPORTED extern uint3 block_index asm("blockIdx");
EXPORTED extern dim3 block_dimensions asm("blockDim");
EXPORTED extern dim3 grid_dimensions asm("gridDim");
EXPORTED extern int warp_width asm("warpSize");

}  // namespace kernels
