// Device, pinned and managed memory: allocation, registration, attributes.
#include <algorithm>
#include <cmath>
#include <string>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::memory_block;
using trace::api_function;
using trace::memory_kind;

namespace {

/// Host time of giving out or taking back memory, beside the cost of the call.
void spend_for_bytes(api_call& call, double ns_per_mib, std::size_t bytes) {
  call.run().clock().spend(
      trace::nanoseconds(std::llround(ns_per_mib * static_cast<double>(bytes) / (1 << 20))));
}

/// Pinned memory comes in blocks; the first one is part of what the call costs.
std::size_t beyond_the_first_block(const device::profile& gpu, std::size_t bytes) {
  return bytes > gpu.pinned_block ? bytes - gpu.pinned_block : 0;
}

/// The new block, or nullptr when there is no memory left.
memory_block* take(api_call& call, std::size_t bytes, memory_kind kind) {
  const device::profile& gpu = call.run().gpu();
  if (kind == memory_kind::device) {
    const std::size_t total = gpu.global_memory;
    const std::size_t free =
        total - std::min(total, call.run().device_bytes_in_use(call.run().current_device()));
    if (bytes > free) {
      call.explain(std::to_string(bytes) + " bytes are more than the " + std::to_string(free) +
                   " bytes that are free of the " + std::to_string(total >> 20) + " MiB of this GPU");
      return nullptr;
    }
  }
  memory_block* const block = call.run().memory().allocate(kind, bytes, call.run().current_device());
  if (block == nullptr) return nullptr;
  // Managed memory is only reserved: its size costs nothing.
  if (kind == memory_kind::device) spend_for_bytes(call, gpu.device_allocation_ns_per_mib, bytes);
  if (kind == memory_kind::pinned) {
    spend_for_bytes(call, gpu.pinned_allocation_ns_per_mib, beyond_the_first_block(gpu, bytes));
  }
  call.run().work().implicit_sync();
  call.record().allocation = block->id;
  call.run().log().note_allocation(block->id, call.id());
  return block;
}

cudaError_t allocate(api_call& call, void** out, std::size_t bytes, memory_kind kind,
                     unsigned int host_flags = cudaHostAllocMapped) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  memory_block* const block = take(call, bytes, kind);
  if (block == nullptr) return cudaErrorMemoryAllocation;
  if (kind == memory_kind::pinned) block->host_flags = host_flags;
  call.give(out, reinterpret_cast<void*>(block->begin));
  return cudaSuccess;
}

/// Rows begin at multiples of this. Measured on an H200, CUDA 13.0, driver 580.
constexpr std::size_t pitch_step = 512;

/// Device memory for rows of that width; with a width, height or depth of 0 nothing, and a pitch of 0.
cudaError_t allocate_rows(api_call& call, void** out, std::size_t* pitch, std::size_t width,
                          std::size_t height, std::size_t depth) {
  *out = nullptr;
  *pitch = 0;
  if (width == 0 || height == 0 || depth == 0) return cudaSuccess;
  const double wanted = static_cast<double>(width) * static_cast<double>(height) * static_cast<double>(depth);
  if (wanted > static_cast<double>(call.run().gpu().global_memory)) return cudaErrorMemoryAllocation;
  const std::size_t row = (width + pitch_step - 1) / pitch_step * pitch_step;
  memory_block* const block = take(call, row * height * depth, memory_kind::device);
  if (block == nullptr) return cudaErrorMemoryAllocation;
  call.give(out, reinterpret_cast<void*>(block->begin));
  *pitch = row;
  return cudaSuccess;
}

/// The block that begins at the pointer and that the program may free; nullptr when there is none.
const memory_block* freeable(api_call& call, const void* pointer) {
  const memory_block* const block = call.run().memory().find_given_out(address_of(pointer));
  const bool is_ours = block != nullptr && block->begin == address_of(pointer) && !block->was_registered &&
                       block->kind != memory_kind::pageable && block->name.empty();
  if (is_ours) return block;
  const memory_block* const known = call.run().memory().find_in_arena(address_of(pointer));
  call.explain(
      known != nullptr && (known->is_freed || known->is_given_back) ? "the memory has been freed already"
      : block == nullptr || block->was_registered || !block->name.empty()
          ? "this is no memory that CUDA gave out: what malloc() or new gave is released by free() or delete, and what "
            "cudaHostRegister pinned stays the program's"
          : "the pointer is not the beginning of an allocation");
  return nullptr;
}

/// Frees what allocate() gave. Waits for the device first, as current drivers do, but not for memory of a
/// pool; not to be relied upon.
cudaError_t release(api_call& call, const memory_block& block) {
  call.record().allocation = block.id;
  if (block.pool != 0) {
    call.run().pools().of(block).give_back(block.bytes);
  } else {
    call.run().clock().wait_for_device(block.device);
  }
  if (block.kind == memory_kind::pinned) {
    const device::profile& gpu = call.run().gpu();
    spend_for_bytes(call, gpu.pinned_release_ns_per_mib, beyond_the_first_block(gpu, block.bytes));
  }
  call.run().memory().release(block.id);
  call.run().log().note_release(block.id, call.id());
  return cudaSuccess;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api(api_function::cudaMalloc,
             [&](api_call& call) { return allocate(call, devPtr, size, memory_kind::device); });
}

EXPORTED cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return api(api_function::cudaMallocPitch, [&](api_call& call) {
    if (devPtr == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    return allocate_rows(call, devPtr, pitch, width, height, 1);
  });
}

EXPORTED cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return api(api_function::cudaMalloc3D, [&](api_call& call) {
    if (pitchedDevPtr == nullptr) return cudaErrorInvalidValue;
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return allocate_rows(call, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, extent.height,
                         extent.depth);
  });
}

EXPORTED cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return api(api_function::cudaMallocManaged, [&](api_call& call) {
    if (!call.run().managed().is_available()) return cudaErrorNotSupported;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    const cudaError_t error = allocate(call, devPtr, size, memory_kind::managed);
    if (error == cudaSuccess && flags == cudaMemAttachHost && *devPtr != nullptr) {
      call.run().memory().block(call.record().allocation).attached = kernels::attachment::host;
    }
    return error;
  });
}

EXPORTED cudaError_t cudaFree(void* devPtr) {
  return api(api_function::cudaFree, [&](api_call& call) {
    if (devPtr == nullptr) return cudaSuccess;
    const memory_block* const block = freeable(call, devPtr);
    if (block == nullptr) return cudaErrorInvalidValue;
    if (block->kind == memory_kind::pinned) {
      call.explain("pinned memory is released by cudaFreeHost");
      return cudaErrorInvalidValue;
    }
    return release(call, *block);
  });
}

EXPORTED cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return api(api_function::cudaMallocHost,
             [&](api_call& call) { return allocate(call, ptr, size, memory_kind::pinned); });
}

EXPORTED cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return api(api_function::cudaHostAlloc, [&](api_call& call) {
    constexpr unsigned int known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0) return cudaErrorInvalidValue;
    // Under unified addressing all pinned memory is portable and mapped. Host code takes no virtual time, so
    // it does not read write-combined memory slowly either.
    return allocate(call, pHost, size, memory_kind::pinned,
                    (flags & cudaHostAllocWriteCombined) | cudaHostAllocMapped);
  });
}

EXPORTED cudaError_t cudaFreeHost(void* ptr) {
  return api(api_function::cudaFreeHost, [&](api_call& call) {
    if (ptr == nullptr) return cudaSuccess;
    const memory_block* const block = freeable(call, ptr);
    if (block == nullptr) return cudaErrorInvalidValue;
    if (block->kind != memory_kind::pinned) {
      call.explain("memory of the device is released by cudaFree");
      return cudaErrorInvalidValue;
    }
    return release(call, *block);
  });
}

EXPORTED cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return api(api_function::cudaHostRegister, [&](api_call& call) {
    constexpr unsigned int accepted_flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
    if (ptr == nullptr || size == 0 || size > cuda_runtime::memory::arena_bytes) return cudaErrorInvalidValue;
    if ((flags & ~(accepted_flags | cudaHostRegisterReadOnly)) != 0) return cudaErrorInvalidValue;
    if ((flags & cudaHostRegisterReadOnly) != 0) {
      call.note(trace::diagnostic_kind::not_supported,
                "cudaHostRegisterReadOnly is not modelled by the virtual GPU");
      return cudaErrorNotSupported;
    }
    const memory_block* const known = call.run().memory().find_not_pageable(address_of(ptr), size);
    if (known != nullptr) {
      return known->kind == memory_kind::pinned ? cudaErrorHostMemoryAlreadyRegistered
                                                : cudaErrorInvalidValue;
    }
    spend_for_bytes(call, call.run().gpu().registration_ns_per_mib, size);
    memory_block& block = call.run().memory().register_host(address_of(ptr), size);
    block.host_flags = (flags & cudaHostRegisterPortable) | cudaHostRegisterMapped;
    call.record().allocation = block.id;
    call.run().log().note_allocation(block.id, call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostUnregister(void* ptr) {
  return api(api_function::cudaHostUnregister, [&](api_call& call) {
    const memory_block* const block = call.run().memory().find(address_of(ptr));
    if (block == nullptr || block->kind != memory_kind::pinned) return cudaErrorHostMemoryNotRegistered;
    if (!block->is_registered || block->begin != address_of(ptr)) return cudaErrorInvalidValue;
    call.record().allocation = block->id;
    call.run().clock().wait_for_device(block->device);
    spend_for_bytes(call, call.run().gpu().unregistration_ns_per_mib, block->bytes);
    call.run().memory().unregister_host(block->id);
    call.run().log().note_release(block->id, call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return api(api_function::cudaHostGetDevicePointer, [&](api_call& call) {
    const memory_block* const block = call.run().memory().find(address_of(pHost));
    if (pDevice == nullptr || flags != 0 || block == nullptr || block->kind != memory_kind::pinned) {
      return cudaErrorInvalidValue;
    }
    *pDevice = pHost;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return api(api_function::cudaHostGetFlags, [&](api_call& call) {
    const memory_block* const block = call.run().memory().find(address_of(pHost));
    if (pFlags == nullptr || block == nullptr || block->kind != memory_kind::pinned)
      return cudaErrorInvalidValue;
    *pFlags = block->host_flags;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return api(api_function::cudaPointerGetAttributes, [&](api_call& call) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const memory_block* const block = call.run().memory().find_given_out(address_of(ptr));
    void* const pointer = const_cast<void*>(ptr);
    if (block == nullptr || block->kind == memory_kind::pageable) {
      *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, pointer};
    } else if (block->kind == memory_kind::device) {
      *attributes = {cudaMemoryTypeDevice, static_cast<int>(block->device), pointer, nullptr};
    } else {
      *attributes = {block->kind == memory_kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost,
                     static_cast<int>(block->device), pointer, pointer};
    }
    return cudaSuccess;
  });
}

}  // extern "C"
