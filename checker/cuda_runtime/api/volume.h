// volume.h: the pitched pointers, places and extents of the API as boxes of memory.
//
//     copy_request what;
//     if (cudaError_t error = volume_copy(call, parameters, what)) return error;
//     return copy(call, what, stream, copy_form::asynchronous);
#pragma once

#include "cuda_runtime/api/copies.h"

namespace cuda_runtime {

/// The part of `in` that begins at `from`; its x is in bytes.
memory_box volume(const cudaPitchedPtr& memory, const cudaPos& from, const cudaExtent& extent);

/// What a 3D copy is to do. Errors: cudaErrorInvalidValue for no parameters, cudaErrorInvalidPitchValue for
/// rows or slices without room for the extent, cudaErrorNotSupported for CUDA arrays, which are noted.
/// @see CUDA Runtime API, "cudaMemcpy3D"
cudaError_t volume_copy(api_call& call, const cudaMemcpy3DParms* wanted, copy_request& result);

}  // namespace cuda_runtime
