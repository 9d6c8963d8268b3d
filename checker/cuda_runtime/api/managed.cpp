// Managed memory beside its allocation: attachment to streams, prefetches, advice.
//
// Where its pages are, and how they move, is in residency.h. Advice changes nothing but the recording, which
// says so.
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::memory_block;
using kernels::attachment;
using trace::api_function;
using trace::memory_kind;

namespace {

const memory_block* managed_block(api_call& call, const void* pointer) {
  const memory_block* const block = call.run().memory().find(address_of(pointer));
  return block != nullptr && block->kind == memory_kind::managed ? block : nullptr;
}

/// Checks a range and a place to move it to. Before compute capability 6.0 only the host is such a place.
cudaError_t check_range(api_call& call, const void* pointer, std::size_t count,
                        const cudaMemLocation& location) {
  const memory_block* const block = managed_block(call, pointer);
  if (block == nullptr || count == 0 || count > block->end() - address_of(pointer)) {
    return cudaErrorInvalidValue;
  }
  if (location.type == cudaMemLocationTypeHost) return cudaSuccess;
  if (location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  const bool is_suitable = call.run().devices().has(location.id) && call.run().managed().is_concurrent();
  return is_suitable ? cudaSuccess : cudaErrorInvalidDevice;
}

void note_that_advice_is_not_taken(api_call& call) {
  call.note(trace::diagnostic_kind::not_modelled,
            std::string(name_of(call.record())) +
                ": advice that changes where managed memory is is not modelled by the virtual GPU");
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length,
                                              unsigned int flags) {
  return api(api_function::cudaStreamAttachMemAsync, [&](api_call& call) {
    const trace::stream* const to = call.stream(stream);
    if (to == nullptr) return cudaErrorInvalidResourceHandle;
    const memory_block* const block = managed_block(call, devPtr);
    const bool is_whole =
        block != nullptr && block->begin == address_of(devPtr) && (length == 0 || length == block->bytes);
    const bool is_known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    const bool is_default = to->kind != trace::stream_kind::created;
    if (!is_whole || !is_known || (flags == cudaMemAttachSingle && is_default)) return cudaErrorInvalidValue;
    cuda_runtime::prepared_operation attach;
    attach.request.kind = trace::operation_kind::attach;
    attach.request.stream = to->id;
    attach.recorded.accesses.emplace();
    const attachment attached = flags == cudaMemAttachGlobal ? attachment::everyone
                                : flags == cudaMemAttachHost ? attachment::host
                                                             : attachment::one_stream;
    attach.work = cuda_runtime::attach_payload{block->id, attached};
    call.record().allocation = block->id;
    call.run().work().issue(std::move(attach));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location,
                                          unsigned int flags, cudaStream_t stream) {
  return api(api_function::cudaMemPrefetchAsync, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != 0) return cudaErrorInvalidValue;
    if (call.run().captures().of(found->id) != nullptr)
      return call.not_supported("cudaMemPrefetchAsync in a stream that captures is");
    const cudaError_t error = check_range(call, devPtr, count, location);
    if (error != cudaSuccess) return error;
    const bool is_to_host = location.type == cudaMemLocationTypeHost;
    const memory_block& block = *managed_block(call, devPtr);
    cuda_runtime::prepared_operation prefetch;
    prefetch.request.kind = trace::operation_kind::prefetch;
    prefetch.request.stream = found->id;
    prefetch.request.bytes = count;
    prefetch.request.route =
        is_to_host ? device::copy_route::device_to_host : device::copy_route::host_to_device;
    prefetch.recorded.accesses = {{block.id, trace::access_mode::read,
                                   trace::byte_set::range(address_of(devPtr) - block.begin, count)}};
    prefetch.recorded.source = is_to_host ? memory_kind::managed : memory_kind::pinned;
    prefetch.recorded.destination = is_to_host ? memory_kind::pinned : memory_kind::managed;
    prefetch.work = cuda_runtime::prefetch_payload{
        cuda_runtime::memory_box::range(address_of(devPtr), count),
        is_to_host ? cuda_runtime::on_host : static_cast<std::int8_t>(location.id)};
    call.run().work().issue(std::move(prefetch));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                                   cudaMemLocation location) {
  return api(api_function::cudaMemAdvise, [&](api_call& call) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    const bool has_place =
        advice >= cudaMemAdviseSetPreferredLocation && advice != cudaMemAdviseUnsetPreferredLocation;
    const cudaError_t error =
        check_range(call, devPtr, count, has_place ? location : cudaMemLocation{cudaMemLocationTypeHost, 0});
    if (error == cudaSuccess) note_that_advice_is_not_taken(call);
    return error;
  });
}

}  // extern "C"
