// Device and pinned memory: allocation, registration, attributes.
#include <cmath>
#include <string>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"

using trace::memory_kind;
using virtual_gpu::api_call;
using virtual_gpu::memory_block;

namespace {

virtual_gpu::address address_of(const void* pointer) { return reinterpret_cast<virtual_gpu::address>(pointer); }

/// Host time of giving out or taking back memory, beside the cost of the call.
void spend_for_bytes(api_call& call, double ns_per_mib, std::size_t bytes) {
  call.run().spend(trace::nanoseconds(std::llround(ns_per_mib * static_cast<double>(bytes) / (1 << 20))));
}

/// Pinned memory comes in blocks; the first one is part of what the call costs.
std::size_t beyond_the_first_block(const device::profile& gpu, std::size_t bytes) {
  const auto block = static_cast<std::size_t>(gpu.pinned_block);
  return bytes > block ? bytes - block : 0;
}

cudaError_t allocate(api_call& call, void** out, std::size_t bytes, memory_kind kind) {
  if (out == nullptr) return call.done(cudaErrorInvalidValue);
  *out = nullptr;
  if (bytes == 0) return call.done(cudaSuccess);
  const device::profile& gpu = call.run().gpu();
  if (kind == memory_kind::device) {
    const auto total = static_cast<std::size_t>(gpu.global_memory);
    const std::size_t free = total - call.run().memory().device_bytes_in_use(call.run().current_device());
    if (bytes > free) {
      call.explain(std::to_string(bytes) + " bytes are more than the " + std::to_string(free) + " bytes that are free");
      return call.done(cudaErrorMemoryAllocation);
    }
  }
  const memory_block* const block = call.run().memory().allocate(kind, bytes, call.run().current_device());
  if (block == nullptr) return call.done(cudaErrorMemoryAllocation);
  if (kind == memory_kind::device) {
    spend_for_bytes(call, gpu.device_allocation_per_byte, bytes);
  } else {
    spend_for_bytes(call, gpu.pinned_allocation_per_byte, beyond_the_first_block(gpu, bytes));
  }
  call.run().hold_back_old_gpus();
  call.record().allocation = block->id;
  call.run().note_allocation(block->id);
  *out = reinterpret_cast<void*>(block->begin);
  return call.done(cudaSuccess);
}

/// Frees what allocate() gave. Waits for the device first, as current drivers do; not to be relied upon.
cudaError_t release(api_call& call, void* pointer, memory_kind kind) {
  if (pointer == nullptr) return call.done(cudaSuccess);
  const memory_block* const block = call.run().memory().find(address_of(pointer));
  if (block == nullptr || block->kind != kind || block->is_registered || block->begin != address_of(pointer)) {
    const memory_block* const known = call.run().memory().find_in_arena(address_of(pointer));
    call.explain(known != nullptr && known->is_freed ? "the memory has been freed already"
                 : block == nullptr                  ? "this is no memory that CUDA gave out"
                 : block->kind != kind               ? "memory of another kind is freed by another function"
                                                     : "the pointer is not the beginning of an allocation");
    return call.done(cudaErrorInvalidValue);
  }
  call.record().allocation = block->id;
  call.run().wait_for_device(block->device);
  if (kind == memory_kind::pinned) {
    const device::profile& gpu = call.run().gpu();
    spend_for_bytes(call, gpu.pinned_release_per_byte, beyond_the_first_block(gpu, block->bytes));
  }
  call.run().memory().release(block->id);
  call.run().note_release(block->id);
  return call.done(cudaSuccess);
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMalloc(void** devPtr, size_t size) {
  api_call call("cudaMalloc", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return allocate(call, devPtr, size, memory_kind::device);
}

EXPORTED cudaError_t cudaFree(void* devPtr) {
  api_call call("cudaFree", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return release(call, devPtr, memory_kind::device);
}

EXPORTED cudaError_t cudaMallocHost(void** ptr, size_t size) {
  api_call call("cudaMallocHost", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return allocate(call, ptr, size, memory_kind::pinned);
}

EXPORTED cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  api_call call("cudaHostAlloc", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  // Under unified addressing all pinned memory is portable and mapped.
  constexpr unsigned int harmless = cudaHostAllocPortable | cudaHostAllocMapped;
  if ((flags & cudaHostAllocWriteCombined) != 0) {
    call.run().note("not_supported", "write-combined memory is not modelled by the virtual GPU", call.id(),
                    call.record().where);
    return call.done(cudaErrorNotSupported);
  }
  if ((flags & ~harmless) != 0) return call.done(cudaErrorInvalidValue);
  return allocate(call, pHost, size, memory_kind::pinned);
}

EXPORTED cudaError_t cudaFreeHost(void* ptr) {
  api_call call("cudaFreeHost", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return release(call, ptr, memory_kind::pinned);
}

EXPORTED cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  api_call call("cudaHostRegister", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  constexpr unsigned int harmless = cudaHostRegisterPortable | cudaHostRegisterMapped;
  if (ptr == nullptr || size == 0) return call.done(cudaErrorInvalidValue);
  if ((flags & ~harmless) != 0) {
    call.run().note("not_supported", "cudaHostRegister flags beside portable and mapped are not modelled", call.id(),
                    call.record().where);
    return call.done(cudaErrorNotSupported);
  }
  const memory_block* const known = call.run().memory().find(address_of(ptr));
  if (known != nullptr && known->kind != memory_kind::pageable) {
    return call.done(known->kind == memory_kind::pinned ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue);
  }
  spend_for_bytes(call, call.run().gpu().registration_per_byte, size);
  const memory_block& block = call.run().memory().register_host(address_of(ptr), size);
  call.record().allocation = block.id;
  call.run().note_allocation(block.id);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaHostUnregister(void* ptr) {
  api_call call("cudaHostUnregister", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const memory_block* const block = call.run().memory().find(address_of(ptr));
  if (block == nullptr || block->kind != memory_kind::pinned) return call.done(cudaErrorHostMemoryNotRegistered);
  if (!block->is_registered || block->begin != address_of(ptr)) return call.done(cudaErrorInvalidValue);
  call.record().allocation = block->id;
  call.run().wait_for_device(block->device);
  spend_for_bytes(call, call.run().gpu().unregistration_per_byte, block->bytes);
  call.run().memory().unregister_host(block->id);
  call.run().note_release(block->id);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  api_call call("cudaHostGetDevicePointer", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const memory_block* const block = call.run().memory().find(address_of(pHost));
  if (pDevice == nullptr || flags != 0 || block == nullptr || block->kind != memory_kind::pinned) {
    return call.done(cudaErrorInvalidValue);
  }
  *pDevice = pHost;
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  api_call call("cudaPointerGetAttributes", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (attributes == nullptr) return call.done(cudaErrorInvalidValue);
  const memory_block* const block = call.run().memory().find(address_of(ptr));
  void* const pointer = const_cast<void*>(ptr);
  if (block == nullptr || block->kind == memory_kind::pageable) {
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, pointer};
  } else if (block->kind == memory_kind::device) {
    *attributes = {cudaMemoryTypeDevice, static_cast<int>(block->device), pointer, nullptr};
  } else {
    *attributes = {cudaMemoryTypeHost, static_cast<int>(block->device), pointer, pointer};
  }
  return call.done(cudaSuccess);
}

}  // extern "C"
