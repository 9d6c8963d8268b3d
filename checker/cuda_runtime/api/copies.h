// copies.h: copies and memsets of every shape, checked, enqueued, and waited for as long as the host must.
//
// The functions of the API (api_copy.cpp, api_pitched.cpp, api_symbol.cpp) describe what they want and come
// here.
//
//     copy_request what = copy_request::range(dst, src, bytes, cudaMemcpyDefault);
//     return copy(call, what, stream, copy_form::asynchronous);
#pragma once

#include <cstddef>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/memory_box.h"

namespace cuda_runtime {

/// Which function was called: cudaMemcpy and the like, or their Async forms.
enum class copy_form { synchronous, asynchronous };

/// Both sides have the same width, height and depth.
struct copy_request {
  memory_box destination;                   ///< written when the copy ends
  memory_box source;                        ///< read when the copy starts, or before the call returns
  cudaMemcpyKind kind = cudaMemcpyDefault;  ///< as the program gave it

  /// A copy of so many bytes without gaps.
  static copy_request range(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    return {memory_box::range(address_of(destination), bytes), memory_box::range(address_of(source), bytes),
            kind};
  }
};

/// Errors: cudaErrorInvalidResourceHandle, cudaErrorInvalidMemcpyDirection for a kind that
/// does not exist, cudaErrorInvalidValue for pointers that the kind does not allow or that have no room for
/// the bytes. Copying nothing succeeds.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
cudaError_t copy(api_call& call, const copy_request& wanted, cudaStream_t stream, copy_form how);

/// The copy as a node of a graph, which reads its source at each launch. Errors as for copy(), but
/// cudaErrorInvalidValue for a copy of nothing.
cudaError_t prepare(api_call& call, const copy_request& wanted, prepared_operation& result);

/// Errors: cudaErrorInvalidResourceHandle, cudaErrorInvalidValue. Setting nothing succeeds.
cudaError_t set_bytes(api_call& call, const memory_box& destination, int value, cudaStream_t stream,
                      copy_form how);

/// The memset as a node of a graph, on the current device. cudaErrorInvalidValue for elements that have not
/// 1, 2 or 4 bytes or do not lie on multiples of that, for a pitch below the width, for nothing to set, and
/// for memory as for set_bytes().
/// @see CUDA Driver API, "cuMemsetD2D32"
cudaError_t prepare(api_call& call, const cudaMemsetParams& wanted, prepared_operation& result);

}  // namespace cuda_runtime
