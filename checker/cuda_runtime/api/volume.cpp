#include "cuda_runtime/api/volume.h"

namespace cuda_runtime {

memory_box volume(const cudaPitchedPtr& memory, const cudaPos& from, const cudaExtent& extent) {
  const std::size_t slice_pitch = memory.pitch * memory.ysize;
  return {address_of(memory.ptr) + from.z * slice_pitch + from.y * memory.pitch + from.x,
          extent.width,
          extent.height,
          extent.depth,
          memory.pitch,
          slice_pitch};
}

cudaError_t volume_copy(api_call& call, const cudaMemcpy3DParms* wanted, copy_request& result) {
  if (wanted == nullptr) return cudaErrorInvalidValue;
  if (wanted->srcArray != nullptr || wanted->dstArray != nullptr) {
    call.note(trace::diagnostic_kind::not_supported, "CUDA arrays are not modelled by the virtual GPU");
    return cudaErrorNotSupported;
  }
  const cudaExtent& extent = wanted->extent;
  const bool is_empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
  for (const cudaPitchedPtr* side : {&wanted->srcPtr, &wanted->dstPtr}) {
    const bool has_room = side->pitch >= extent.width && (extent.depth == 1 || side->ysize >= extent.height);
    if (!is_empty && !has_room) return cudaErrorInvalidPitchValue;
  }
  result = {volume(wanted->dstPtr, wanted->dstPos, extent), volume(wanted->srcPtr, wanted->srcPos, extent),
            wanted->kind};
  return cudaSuccess;
}

}  // namespace cuda_runtime
