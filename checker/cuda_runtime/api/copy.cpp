// Copies and memsets of plain ranges, and copies between devices.
#include <string>

#include "cuda_runtime/api/copies.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::copy_form;
using cuda_runtime::copy_request;
using cuda_runtime::memory_box;
using trace::api_function;

namespace {

/// Notes an argument that names another device than that of the memory: the copy goes by the pointers.
void note_other_device(api_call& call, const void* memory, int named, const char* side) {
  const kernels::memory_block* const block = call.run().memory().find(address_of(memory));
  if (block == nullptr || block->kind != trace::memory_kind::device ||
      block->device == static_cast<std::uint32_t>(named))
    return;
  call.note(trace::diagnostic_kind::wrong_copy_kind,
            std::string(trace::name_of(call.record())) + " says that its " + side + " is on device " +
                std::to_string(named) + ", and the memory is that of device " +
                std::to_string(block->device));
}

/// The pointers say on which devices the memory is; the arguments that say it too must name devices.
cudaError_t copy_between_devices(api_call& call, void* dst, int to, const void* src, int from,
                                 std::size_t count, cudaStream_t stream, copy_form how) {
  if (!call.run().devices().has(to) || !call.run().devices().has(from)) return cudaErrorInvalidDevice;
  note_other_device(call, dst, to, "destination");
  note_other_device(call, src, from, "source");
  return copy(call, copy_request::range(dst, src, count, cudaMemcpyDeviceToDevice), stream, how);
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api(api_function::cudaMemcpy, [&](api_call& call) {
    return copy(call, copy_request::range(dst, src, count, kind), nullptr, copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  const char* const cost = kind == cudaMemcpyDeviceToDevice ? "cudaMemcpyAsync.inside" : "cudaMemcpyAsync";
  return api(api_function::cudaMemcpyAsync, {.cost = cost}, [&](api_call& call) {
    return copy(call, copy_request::range(dst, src, count, kind), stream, copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return api(api_function::cudaMemcpyPeer, [&](api_call& call) {
    return copy_between_devices(call, dst, dstDevice, src, srcDevice, count, nullptr, copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                         size_t count, cudaStream_t stream) {
  return api(api_function::cudaMemcpyPeerAsync, [&](api_call& call) {
    return copy_between_devices(call, dst, dstDevice, src, srcDevice, count, stream, copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return api(api_function::cudaMemset, [&](api_call& call) {
    return set_bytes(call, memory_box::range(address_of(devPtr), count), value, nullptr,
                     copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api(api_function::cudaMemsetAsync, [&](api_call& call) {
    return set_bytes(call, memory_box::range(address_of(devPtr), count), value, stream,
                     copy_form::asynchronous);
  });
}

}  // extern "C"
