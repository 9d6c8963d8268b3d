// Memory in rows and slices: allocations with a pitch, 2D and 3D copies and memsets. CUDA arrays are not
// modelled.
//
// Such an operation takes as long as a plain one of as many bytes; on an H200 (CUDA 13.0, driver 580) rows of
// 64 bytes and more, one pitch of twice that apart, took 1 to 30 % longer.
#include "cuda_runtime/api/copies.h"
#include "cuda_runtime/api/volume.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::copy_form;
using cuda_runtime::copy_request;
using cuda_runtime::memory_box;
using trace::api_function;

namespace {

memory_box plane(const void* begin, std::size_t pitch, std::size_t width, std::size_t height) {
  return {address_of(begin), width, height, 1, pitch, 0};
}

bool is_empty(std::size_t width, std::size_t height, std::size_t depth = 1) {
  return width == 0 || height == 0 || depth == 0;
}

cudaError_t copy_plane(api_call& call, void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                       copy_form how) {
  if (!is_empty(width, height) && (dpitch < width || spitch < width)) return cudaErrorInvalidPitchValue;
  return copy(call, {plane(dst, dpitch, width, height), plane(src, spitch, width, height), kind}, stream,
              how);
}

cudaError_t set_plane(api_call& call, void* begin, std::size_t pitch, int value, std::size_t width,
                      std::size_t height, cudaStream_t stream, copy_form how) {
  if (!is_empty(width, height) && pitch < width) return cudaErrorInvalidValue;
  return set_bytes(call, plane(begin, pitch, width, height), value, stream, how);
}

cudaError_t copy_volume(api_call& call, const cudaMemcpy3DParms* p, cudaStream_t stream, copy_form how) {
  copy_request request;
  if (const cudaError_t error = cuda_runtime::volume_copy(call, p, request)) return error;
  return copy(call, request, stream, how);
}

cudaError_t set_volume(api_call& call, const cudaPitchedPtr& memory, int value, const cudaExtent& extent,
                       cudaStream_t stream, copy_form how) {
  if (!is_empty(extent.width, extent.height, extent.depth) &&
      (memory.pitch < extent.width || (extent.depth > 1 && memory.ysize < extent.height))) {
    return cudaErrorInvalidValue;
  }
  return set_bytes(call, cuda_runtime::volume(memory, {}, extent), value, stream, how);
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return api(api_function::cudaMemcpy2D, [&](api_call& call) {
    return copy_plane(call, dst, dpitch, src, spitch, width, height, kind, nullptr, copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api(api_function::cudaMemcpy2DAsync, [&](api_call& call) {
    return copy_plane(call, dst, dpitch, src, spitch, width, height, kind, stream, copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return api(api_function::cudaMemset2D, [&](api_call& call) {
    return set_plane(call, devPtr, pitch, value, width, height, nullptr, copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                                       cudaStream_t stream) {
  return api(api_function::cudaMemset2DAsync, [&](api_call& call) {
    return set_plane(call, devPtr, pitch, value, width, height, stream, copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return api(api_function::cudaMemcpy3D,
             [&](api_call& call) { return copy_volume(call, p, nullptr, copy_form::synchronous); });
}

EXPORTED cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return api(api_function::cudaMemcpy3DAsync,
             [&](api_call& call) { return copy_volume(call, p, stream, copy_form::asynchronous); });
}

EXPORTED cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return api(api_function::cudaMemset3D, [&](api_call& call) {
    return set_volume(call, pitchedDevPtr, value, extent, nullptr, copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                                       cudaStream_t stream) {
  return api(api_function::cudaMemset3DAsync, [&](api_call& call) {
    return set_volume(call, pitchedDevPtr, value, extent, stream, copy_form::asynchronous);
  });
}

}  // extern "C"
