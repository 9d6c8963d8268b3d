// cuda_runtime.h: the CUDA names that a program sees on the virtual GPU. It is included before every .cu file, as nvcc
// does; including it once more is harmless.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

// Headers of other people ask by this name whether the header was included.
#define __CUDA_RUNTIME_H__

#include <math.h>
#include <stdlib.h>
#include <cstring>
#include <ctime>
#include <type_traits>

#include "cuda_runtime_api.h"
#include "device_language.h"
#include "not_modelled.h"

inline cudaMemLocation virtual_gpu_location(int device) {
  return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
}
template <typename Symbol>
inline const void* virtual_gpu_address_of(const Symbol& symbol) {
  return const_cast<const char*>(&reinterpret_cast<const volatile char&>(symbol));
}

template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMalloc(Value** devPtr, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocHost(Value** ptr, size_t size) {
  return ::cudaMallocHost(reinterpret_cast<void**>(ptr), size);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocHost(Value** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaHostAlloc(Value** pHost, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pHost), size, flags);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocPitch(Value** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(devPtr), pitch, width, height);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocManaged(Value** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, Value* devPtr, size_t length = 0, unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(devPtr), length, flags);
}
/// The form of CUDA 12: a device by its number, or cudaCpuDeviceId.
__attribute__((always_inline)) inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice, cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync(devPtr, count, virtual_gpu_location(dstDevice), 0, stream);
}
__attribute__((always_inline)) inline cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice, int device) {
  return ::cudaMemAdvise(devPtr, count, advice, virtual_gpu_location(device));
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocAsync(Value** ptr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(ptr), size, stream);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocAsync(Value** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocFromPoolAsync(Value** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}

inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) { return {d, p, xsz, ysz}; }

template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaMemcpyToSymbol(const Symbol& symbol, const void* src, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(virtual_gpu_address_of(symbol), src, count, offset, kind);
}
template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaMemcpyFromSymbol(void* dst, const Symbol& symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, virtual_gpu_address_of(symbol), count, offset, kind);
}
template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaMemcpyToSymbolAsync(const Symbol& symbol, const void* src, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(virtual_gpu_address_of(symbol), src, count, offset, kind, stream);
}
template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const Symbol& symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, virtual_gpu_address_of(symbol), count, offset, kind, stream);
}
template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaGetSymbolAddress(void** devPtr, const Symbol& symbol) {
  return ::cudaGetSymbolAddress(devPtr, virtual_gpu_address_of(symbol));
}
template <typename Symbol>
__attribute__((always_inline)) inline cudaError_t cudaGetSymbolSize(size_t* size, const Symbol& symbol) {
  return ::cudaGetSymbolSize(size, virtual_gpu_address_of(symbol));
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaHostGetDevicePointer(Value** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}
__attribute__((always_inline)) inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

// The forms of CUDA 11 and 12 of functions that have changed.
__attribute__((always_inline)) inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, cudaGraphNode_t* pErrorNode,
                                                                       char* pLogBuffer, size_t bufferSize) {
  if (pErrorNode != nullptr) *pErrorNode = nullptr;
  if (pLogBuffer != nullptr && bufferSize > 0) *pLogBuffer = 0;
  return ::cudaGraphInstantiate(pGraphExec, graph, 0ull);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                                                unsigned long long flags = 0) {
  return ::cudaGraphInstantiate(pGraphExec, graph, flags);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                                                      cudaGraphNode_t* hErrorNode_out,
                                                                      cudaGraphExecUpdateResult* updateResult_out) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
  if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
  if (updateResult_out != nullptr) *updateResult_out = info.result;
  return error;
}
__attribute__((always_inline)) inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                                           const cudaGraphNode_t* to, size_t numDependencies) {
  return ::cudaGraphAddDependencies(graph, from, to, nullptr, numDependencies);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges) {
  return ::cudaGraphGetEdges(graph, from, to, nullptr, numEdges);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                                              const cudaGraphNode_t* to, size_t numDependencies) {
  return ::cudaGraphRemoveDependencies(graph, from, to, nullptr, numDependencies);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                                                               size_t* pNumDependencies) {
  return ::cudaGraphNodeGetDependencies(node, pDependencies, nullptr, pNumDependencies);
}
__attribute__((always_inline)) inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                                                                 size_t* pNumDependentNodes) {
  return ::cudaGraphNodeGetDependentNodes(node, pDependentNodes, nullptr, pNumDependentNodes);
}

__attribute__((always_inline)) inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                                                           unsigned long long* id_out, cudaGraph_t* graph_out,
                                                                           const cudaGraphNode_t** dependencies_out,
                                                                           size_t* numDependencies_out) {
  return ::cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out, nullptr, numDependencies_out);
}
__attribute__((always_inline)) inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                                                              unsigned long long* id_out = 0, cudaGraph_t* graph_out = 0,
                                                                              const cudaGraphNode_t** dependencies_out = 0,
                                                                              size_t* numDependencies_out = 0) {
  return ::cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out, nullptr, numDependencies_out);
}
__attribute__((always_inline)) inline cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                                                              unsigned long long* id_out = 0, cudaGraph_t* graph_out = 0,
                                                                              const cudaGraphNode_t** dependencies_out = 0,
                                                                              const cudaGraphEdgeData** edgeData_out = 0,
                                                                              size_t* numDependencies_out = 0) {
  return ::cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out);
}

// Kernels with their types.
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaLaunchKernel(void (*func)(Parameters...), dim3 gridDim, dim3 blockDim, void** args,
                                                                   size_t sharedMem = 0, cudaStream_t stream = 0) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem, stream);
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaLaunchCooperativeKernel(void (*func)(Parameters...), dim3 gridDim, dim3 blockDim,
                                                                              void** args, size_t sharedMem = 0,
                                                                              cudaStream_t stream = 0) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem, stream);
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*func)(Parameters...), void** args) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(func), args);
}
/// Arguments are converted to the types of the kernel's parameters, as in a call.
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t virtual_gpu_launch_converted(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                                                               typename std::decay<Parameters>::type... converted) {
  void* arguments[] = {const_cast<void*>(static_cast<const volatile void*>(&converted))..., nullptr};
  return ::cudaLaunchKernelExC(config, kernel, arguments);
}
template <typename... Parameters, typename... Arguments>
__attribute__((always_inline)) inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                                                     Arguments&&... args) {
  return virtual_gpu_launch_converted(config, kernel, static_cast<Arguments&&>(args)...);
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, void (*func)(Parameters...)) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaFuncSetAttribute(void (*func)(Parameters...), cudaFuncAttribute attr, int value) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaFuncSetCacheConfig(void (*func)(Parameters...), cudaFuncCache cacheConfig) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), cacheConfig);
}
template <typename... Parameters>
__attribute__((always_inline)) inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, void (*func)(Parameters...),
                                                                                                int blockSize, size_t dynamicSMemSize) {
  ::virtual_gpu::know(nullptr, func);
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<const void*>(func), blockSize, dynamicSMemSize);
}

/// The block size with which a multiprocessor holds most threads, the larger one of equals, and the blocks that fill the
/// device then. `blockSizeToDynamicSMemSize` gives the bytes of dynamic shared memory for a block size.
template <typename Kernel, typename SharedMemory>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, Kernel func,
                                                                  SharedMemory blockSizeToDynamicSMemSize, int blockSizeLimit = 0) {
  int device = 0, multiprocessors = 0, max_size = 0, warp = 0;
  if (minGridSize == nullptr || blockSize == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&max_size, cudaDevAttrMaxThreadsPerBlock, device);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (blockSizeLimit > 0 && blockSizeLimit < max_size) max_size = blockSizeLimit;
  int best = 0;
  *minGridSize = *blockSize = 0;
  for (int size = max_size; size > 0; size = (size - 1) / warp * warp) {
    int blocks = 0;
    if (const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, size, blockSizeToDynamicSMemSize(size))) return error;
    if (blocks * size <= best) continue;
    best = blocks * size;
    *blockSize = size;
    *minGridSize = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, Kernel func, size_t dynamicSMemSize = 0,
                                                      int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit);
}
