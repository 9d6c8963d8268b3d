// Stream-ordered memory: allocation and release as operations of a stream, and the pools that it comes from.
//
// The pointer is there at once; the memory may be used by work that is ordered behind the allocation and
// ahead of the release. Memory of a pool is not given out twice, so that a use after the release is always seen.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/graph_memory.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::memory_block;
using cuda_runtime::memory_pool;
using trace::api_function;
using trace::memory_kind;
using trace::operation_kind;

namespace cuda_runtime {

memory_block* allocate_for_graph(api_call& call, std::size_t bytes, std::uint32_t device) {
  const std::size_t total = call.run().gpu().global_memory;
  if (bytes > total - std::min(total, call.run().device_bytes_in_use(device))) return nullptr;
  memory_block* const block = call.run().memory().allocate(memory_kind::device, bytes, device);
  if (block == nullptr) return nullptr;
  block->is_of_graph = block->is_pending = block->is_given_back = true;
  call.run().log().note_allocation(block->id, call.id());
  return block;
}

const memory_block* find_memory_of_graph(api_call& call, const void* begin) {
  const memory_block* const found = kernels::memory::is_in_arena(address_of(begin))
                                        ? call.run().memory().find_in_arena(address_of(begin))
                                        : nullptr;
  return found != nullptr && found->is_of_graph && found->begin == address_of(begin) ? found : nullptr;
}

prepared_operation memory_operation(operation_kind kind, const memory_block& block,
                                    trace::call_id defined_by) {
  prepared_operation work;
  work.request.kind = kind;
  work.request.bytes = block.bytes;
  work.recorded.defined_by = defined_by;
  work.recorded.accesses = {{block.id, trace::access_mode::write, trace::byte_set::range(0, block.bytes)}};
  work.work = allocation_payload{block.id};
  return work;
}

}  // namespace cuda_runtime

namespace {

void enqueue(api_call& call, operation_kind kind, const trace::stream& stream, const memory_block& block) {
  cuda_runtime::prepared_operation work = cuda_runtime::memory_operation(kind, block, 0);
  work.request.stream = stream.id;
  call.record().allocation = block.id;
  call.run().work().issue(std::move(work));
}

cudaError_t allocate(api_call& call, void** out, std::size_t bytes, cudaMemPool_t from, cudaStream_t handle) {
  cuda_runtime::runtime& run = call.run();
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (!run.managed().is_concurrent()) return cudaErrorNotSupported;  // both from compute capability 6.0 on
  memory_pool* const pool = call.pool(from);
  if (pool == nullptr) return cudaErrorInvalidValue;
  if (bytes == 0) return cudaSuccess;
  if (run.captures().of(stream->id) != nullptr) {
    const memory_block* const captured = cuda_runtime::allocate_for_graph(call, bytes, pool->device());
    if (captured == nullptr) return cudaErrorMemoryAllocation;
    enqueue(call, operation_kind::allocate, *stream, *captured);
    call.give(out, reinterpret_cast<void*>(captured->begin));
    return cudaSuccess;
  }
  const std::size_t total = run.gpu().global_memory;
  const std::size_t left = total - std::min(total, run.device_bytes_in_use(pool->device()));
  if (bytes > total || pool->growth(bytes) > left) return cudaErrorMemoryAllocation;
  memory_block* const block =
      run.memory().allocate(memory_kind::device, bytes, pool->device(), pool->number());
  if (block == nullptr) return cudaErrorMemoryAllocation;
  block->is_pending = true;
  block->open_to = pool->open_to;
  if (pool->take(bytes)) {
    const bool is_first = run.pools().takes_first_memory_on(pool->device());
    run.clock().spend(run.gpu().host_call(is_first ? "cudaMallocAsync.first" : "cudaMallocAsync.growth"));
  }
  run.log().note_allocation(block->id, call.id());
  if (run.errors().sticky() == cudaSuccess) enqueue(call, operation_kind::allocate, *stream, *block);
  call.give(out, reinterpret_cast<void*>(block->begin));
  return cudaSuccess;
}

constexpr std::size_t not_known = ~std::size_t{0};

bool is_flag(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

/// How much of the attribute lies in the program's object, which may be too small for it: that is noted.
std::size_t bytes_in_object(api_call& call, cudaMemPoolAttr attribute, std::size_t object_bytes,
                            const char* does) {
  const std::size_t bytes = is_flag(attribute) ? sizeof(int) : sizeof(cuuint64_t);
  if (object_bytes >= bytes) return bytes;
  call.note(trace::diagnostic_kind::object_too_small,
            std::string(trace::name_of(call.record())) + " " + does + " " + std::to_string(bytes) +
                " bytes for this attribute, and `value` points to an object of " +
                std::to_string(object_bytes) + ": what lies beside it is " +
                (does[0] == 'r' ? "read" : "written") + " as well");
  return object_bytes;
}

cudaError_t get_attribute(api_call& call, cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value,
                          std::size_t value_bytes) {
  const memory_pool* const pool = call.pool(handle);
  if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
  cuuint64_t answer = 0;  // little-endian: a flag is its first bytes
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      answer = pool->follows_event_dependencies;
      break;
    case cudaMemPoolReuseAllowOpportunistic:
      answer = pool->allows_opportunistic_reuse;
      break;
    case cudaMemPoolReuseAllowInternalDependencies:
      answer = pool->allows_internal_dependencies;
      break;
    case cudaMemPoolAttrReleaseThreshold:
      answer = pool->release_threshold;
      break;
    case cudaMemPoolAttrReservedMemCurrent:
      answer = pool->reserved();
      break;
    case cudaMemPoolAttrReservedMemHigh:
      answer = pool->reserved_high();
      break;
    case cudaMemPoolAttrUsedMemCurrent:
      answer = pool->used();
      break;
    case cudaMemPoolAttrUsedMemHigh:
      answer = pool->used_high();
      break;
    default:
      return cudaErrorInvalidValue;
  }
  std::memcpy(value, &answer, bytes_in_object(call, attribute, value_bytes, "writes"));
  return cudaSuccess;
}

/// The reuse flags are kept and given back; they cannot act, because no memory is given out twice. The
/// high-water marks can only be reset, by writing 0.
cudaError_t set_attribute(api_call& call, cudaMemPool_t handle, cudaMemPoolAttr attribute, const void* value,
                          std::size_t value_bytes) {
  memory_pool* const pool = call.pool(handle);
  if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
  const bool is_mark = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  if (!is_flag(attribute) && !is_mark && attribute != cudaMemPoolAttrReleaseThreshold)
    return cudaErrorInvalidValue;
  cuuint64_t wanted = 0;
  std::memcpy(&wanted, value, bytes_in_object(call, attribute, value_bytes, "reads"));
  if (is_mark && wanted != 0) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      pool->follows_event_dependencies = static_cast<int>(wanted);
      break;
    case cudaMemPoolReuseAllowOpportunistic:
      pool->allows_opportunistic_reuse = static_cast<int>(wanted);
      break;
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->allows_internal_dependencies = static_cast<int>(wanted);
      break;
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = wanted;
      break;
    case cudaMemPoolAttrReservedMemHigh:
      pool->reset_reserved_high();
      break;
    default:
      pool->reset_used_high();
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return api(api_function::cudaMallocAsync, [&](api_call& call) {
    return allocate(call, devPtr, size, call.run().pools().current_of(call.run().current_device()), hStream);
  });
}

EXPORTED cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                             cudaStream_t stream) {
  return api(api_function::cudaMallocFromPoolAsync,
             [&](api_call& call) { return allocate(call, ptr, size, memPool, stream); });
}

EXPORTED cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return api(api_function::cudaFreeAsync, [&](api_call& call) {
    cuda_runtime::runtime& run = call.run();
    const trace::stream* const stream = call.stream(hStream);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (devPtr == nullptr) return cudaSuccess;
    if (run.captures().of(stream->id) != nullptr) {
      const memory_block* const captured = cuda_runtime::find_memory_of_graph(call, devPtr);
      if (captured == nullptr) {
        call.explain("a stream that captures can free only memory that a graph allocates");
        return cudaErrorInvalidValue;
      }
      run.log().note_release(captured->id, call.id());
      enqueue(call, operation_kind::release, *stream, *captured);
      return cudaSuccess;
    }
    const memory_block* const found = run.memory().find_given_out(address_of(devPtr));
    const bool is_freeable = found != nullptr && found->kind == memory_kind::device && found->name.empty() &&
                             found->begin == address_of(devPtr);
    if (!is_freeable) return cudaErrorInvalidValue;
    memory_block& block = run.memory().block(found->id);
    block.is_given_back = true;
    if (block.pool != 0) run.pools().of(block).give_back(block.bytes);
    run.log().note_release(block.id, call.id());
    if (run.errors().sticky() == cudaSuccess) enqueue(call, operation_kind::release, *stream, block);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  return api(api_function::cudaMemPoolCreate, [&](api_call& call) {
    if (memPool == nullptr || poolProps == nullptr || poolProps->allocType != cudaMemAllocationTypePinned ||
        poolProps->location.type != cudaMemLocationTypeDevice ||
        !call.run().devices().has(poolProps->location.id)) {
      return cudaErrorInvalidValue;
    }
    if (poolProps->handleTypes != cudaMemHandleTypeNone || poolProps->maxSize != 0 || poolProps->usage != 0) {
      call.note(trace::diagnostic_kind::not_supported,
                "pools with exported handles, a largest size or a usage are not modelled");
      return cudaErrorNotSupported;
    }
    if (!call.run().managed().is_concurrent()) return cudaErrorNotSupported;
    *memPool = call.run().pools().create(static_cast<std::uint32_t>(poolProps->location.id));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return api(api_function::cudaMemPoolDestroy, [&](api_call& call) {
    memory_pool* const pool = call.pool(memPool);
    if (pool == nullptr || memPool == call.run().pools().default_of(pool->device()))
      return cudaErrorInvalidValue;
    pool->destroyed_by = call.id();  // what came from it lives on until it is freed
    pool->release_threshold = 0;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  return api(api_function::cudaMemPoolTrimTo, [&](api_call& call) {
    memory_pool* const pool = call.pool(memPool);
    if (pool == nullptr) return cudaErrorInvalidValue;
    pool->trim(minBytesToKeep);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t virtual_gpu_get_pool_attribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value,
                                                    size_t value_bytes) {
  return api(api_function::cudaMemPoolGetAttribute,
             [&](api_call& call) { return get_attribute(call, memPool, attr, value, value_bytes); });
}

// The header defines these two inline. Their symbols are for C, and for pointers to them.
EXPORTED cudaError_t get_attribute_of_any_size(cudaMemPool_t memPool, cudaMemPoolAttr attr,
                                               void* value) __asm__("cudaMemPoolGetAttribute");
cudaError_t get_attribute_of_any_size(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return virtual_gpu_get_pool_attribute(memPool, attr, value, not_known);
}

EXPORTED cudaError_t virtual_gpu_set_pool_attribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value,
                                                    size_t value_bytes) {
  return api(api_function::cudaMemPoolSetAttribute,
             [&](api_call& call) { return set_attribute(call, memPool, attr, value, value_bytes); });
}

EXPORTED cudaError_t set_attribute_of_any_size(cudaMemPool_t memPool, cudaMemPoolAttr attr,
                                               void* value) __asm__("cudaMemPoolSetAttribute");
cudaError_t set_attribute_of_any_size(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return virtual_gpu_set_pool_attribute(memPool, attr, value, not_known);
}

/// Changes what was allocated already, too. A pool's own device always has access.
EXPORTED cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const cudaMemAccessDesc* descList,
                                          size_t count) {
  return api(api_function::cudaMemPoolSetAccess, [&](api_call& call) {
    cuda_runtime::runtime& run = call.run();
    memory_pool* const pool = call.pool(memPool);
    if (pool == nullptr || (descList == nullptr && count > 0)) return cudaErrorInvalidValue;
    std::uint64_t open_to = pool->open_to;
    for (std::size_t i = 0; i < count; ++i) {
      if (descList[i].location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
      if (!run.devices().has(descList[i].location.id)) return cudaErrorInvalidDevice;
      if (descList[i].flags == cudaMemAccessFlagsProtRead)
        return call.not_supported("access to a pool for reading only is");
      const auto device = static_cast<std::uint32_t>(descList[i].location.id);
      const bool opens = descList[i].flags == cudaMemAccessFlagsProtReadWrite;
      if (!opens && (descList[i].flags != cudaMemAccessFlagsProtNone || device == pool->device()))
        return cudaErrorInvalidValue;
      if (device != pool->device() && !run.devices().can_be_peers(device, pool->device()))
        return cudaErrorInvalidDevice;
      const std::uint64_t bit = std::uint64_t{1} << device;
      open_to = opens ? open_to | bit : open_to & ~bit;
    }
    pool->open_to = open_to;
    for (trace::allocation_id id = 1; id <= run.memory().blocks(); ++id) {
      memory_block& block = run.memory().block(id);
      if (block.pool == pool->number()) block.open_to = open_to;
    }
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                          cudaMemLocation* location) {
  return api(api_function::cudaMemPoolGetAccess, [&](api_call& call) {
    const memory_pool* const pool = call.pool(memPool);
    if (flags == nullptr || location == nullptr || pool == nullptr ||
        location->type != cudaMemLocationTypeDevice) {
      return cudaErrorInvalidValue;
    }
    if (!call.run().devices().has(location->id)) return cudaErrorInvalidDevice;
    const bool is_open = (pool->open_to >> location->id & 1) != 0;
    *flags = is_open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return api(api_function::cudaDeviceGetDefaultMemPool, [&](api_call& call) {
    if (memPool == nullptr) return cudaErrorInvalidValue;
    if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
    *memPool = call.run().pools().default_of(static_cast<std::uint32_t>(device));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return api(api_function::cudaDeviceGetMemPool, [&](api_call& call) {
    if (memPool == nullptr) return cudaErrorInvalidValue;
    if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
    *memPool = call.run().pools().current_of(static_cast<std::uint32_t>(device));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return api(api_function::cudaDeviceSetMemPool, [&](api_call& call) {
    const memory_pool* const pool = call.pool(memPool);
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!call.run().devices().has(device)) return cudaErrorInvalidDevice;
    if (pool->device() != static_cast<std::uint32_t>(device)) {
      call.explain("the pool is one of another device");
      return cudaErrorInvalidValue;
    }
    call.run().pools().set_current(static_cast<std::uint32_t>(device), memPool);
    return cudaSuccess;
  });
}

}  // extern "C"
