// Variables of the program that live on the device: __device__, __constant__, __managed__.
//
// A variable is a block of memory with a name; in the translated program its name is a reference to that
// block. A __managed__ variable exists once, the others once on each device; their name leads to device 0, and while a
// kernel runs to its own device (memory::show_variables_of()).
#include <utility>

#include "cuda_runtime/api/copies.h"
#include "kernels/exported.h"

using cuda_runtime::address_of;
using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::copy_form;
using cuda_runtime::copy_request;
using cuda_runtime::memory_block;
using trace::api_function;

namespace {

/// The variable that begins at that address, on the current device; nullptr when there is none.
memory_block* variable(api_call& call, const void* symbol) {
  const cuda_runtime::address where = address_of(symbol);
  const memory_block* const found = call.run().memory().find(where);
  if (found == nullptr || found->name.empty() || found->begin != where) return nullptr;
  return &call.run().memory().on_device(call.run().memory().block(found->id), call.run().current_device());
}

enum class way { to_symbol, from_symbol };

/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html, cudaMemcpyToSymbol; the
/// order of the checks is that of an H200.
cudaError_t copy_symbol(api_call& call, way direction, const void* symbol, const void* other,
                        std::size_t count, std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                        copy_form how) {
  const cudaMemcpyKind from_host =
      direction == way::to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  memory_block* const named = variable(call, symbol);
  if (named == nullptr) return cudaErrorInvalidSymbol;
  if (kind != from_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (count == 0) return cudaSuccess;
  if (offset > named->bytes || count > named->bytes - offset) return cudaErrorInvalidValue;
  void* const inside = reinterpret_cast<void*>(named->begin + offset);
  const bool was_known = std::exchange(named->is_address_known, true);  // for this copy the name is right
  const cudaError_t error =
      direction == way::to_symbol
          ? copy(call, copy_request::range(inside, other, count, kind), stream, how)
          : copy(call, copy_request::range(const_cast<void*>(other), inside, count, kind), stream, how);
  named->is_address_known = was_known;
  return error;
}

}  // namespace

namespace virtual_gpu {

using cuda_runtime::runtime;
using kernels::address;

EXPORTED void* device_variable(const char* name, const void* initial, std::size_t bytes) {
  return runtime::get().add_variable(name, initial, bytes, trace::memory_kind::device,
                                     reinterpret_cast<address>(__builtin_return_address(0)));
}

EXPORTED void* constant_variable(const char* name, const void* initial, std::size_t bytes) {
  runtime& run = runtime::get();
  void* const made = run.add_variable(name, initial, bytes, trace::memory_kind::device,
                                      reinterpret_cast<address>(__builtin_return_address(0)));
  run.memory().block(run.memory().find(reinterpret_cast<address>(made))->id).is_constant = true;
  return made;
}

EXPORTED void* managed_variable(const char* name, const void* initial, std::size_t bytes) {
  return runtime::get().add_variable(name, initial, bytes, trace::memory_kind::managed,
                                     reinterpret_cast<address>(__builtin_return_address(0)));
}

}  // namespace virtual_gpu

extern "C" {

EXPORTED cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                                        cudaMemcpyKind kind) {
  return api(api_function::cudaMemcpyToSymbol, [&](api_call& call) {
    return copy_symbol(call, way::to_symbol, symbol, src, count, offset, kind, nullptr,
                       copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                          cudaMemcpyKind kind) {
  return api(api_function::cudaMemcpyFromSymbol, [&](api_call& call) {
    return copy_symbol(call, way::from_symbol, symbol, dst, count, offset, kind, nullptr,
                       copy_form::synchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream) {
  return api(api_function::cudaMemcpyToSymbolAsync, [&](api_call& call) {
    return copy_symbol(call, way::to_symbol, symbol, src, count, offset, kind, stream,
                       copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  return api(api_function::cudaMemcpyFromSymbolAsync, [&](api_call& call) {
    return copy_symbol(call, way::from_symbol, symbol, dst, count, offset, kind, stream,
                       copy_form::asynchronous);
  });
}

EXPORTED cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return api(api_function::cudaGetSymbolAddress, [&](api_call& call) {
    memory_block* const named = variable(call, symbol);
    if (named == nullptr) return cudaErrorInvalidSymbol;
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    named->is_address_known = true;
    *devPtr = reinterpret_cast<void*>(named->begin);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api(api_function::cudaGetSymbolSize, [&](api_call& call) {
    const memory_block* const named = variable(call, symbol);
    if (named == nullptr) return cudaErrorInvalidSymbol;
    if (size == nullptr) return cudaErrorInvalidValue;
    *size = named->bytes;
    return cudaSuccess;
  });
}

}  // extern "C"
