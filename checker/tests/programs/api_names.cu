// The functions of the CUDA runtime that programs with streams use. Each must exist in the headers, modelled or refused
// by name when it is called; otherwise this does not compile.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <math_constants.h>

namespace used_by_most {

using ::cudaDeviceGetAttribute;
using ::cudaDeviceGetStreamPriorityRange;
using ::cudaDeviceSynchronize;
using ::cudaEventCreate;
using ::cudaEventCreateWithFlags;
using ::cudaEventDestroy;
using ::cudaEventElapsedTime;
using ::cudaEventQuery;
using ::cudaEventRecord;
using ::cudaEventSynchronize;
using ::cudaFree;
using ::cudaFreeHost;
using ::cudaGetDevice;
using ::cudaGetDeviceCount;
using ::cudaGetDeviceProperties;
using ::cudaGetErrorName;
using ::cudaGetErrorString;
using ::cudaGetLastError;
using ::cudaHostAlloc;
using ::cudaLaunchHostFunc;
using ::cudaLaunchKernel;
using ::cudaMalloc;
using ::cudaMallocHost;
using ::cudaMallocManaged;
using ::cudaMemcpy;
using ::cudaMemcpyAsync;
using ::cudaMemset;
using ::cudaMemsetAsync;
using ::cudaPeekAtLastError;
using ::cudaSetDevice;
using ::cudaStreamAddCallback;
using ::cudaStreamCreate;
using ::cudaStreamCreateWithFlags;
using ::cudaStreamCreateWithPriority;
using ::cudaStreamDestroy;
using ::cudaStreamQuery;
using ::cudaStreamSynchronize;
using ::cudaStreamWaitEvent;

}  // namespace used_by_most

namespace used_by_some {

using ::cudaDeviceCanAccessPeer;
using ::cudaDeviceDisablePeerAccess;
using ::cudaDeviceEnablePeerAccess;
using ::cudaDeviceGetDefaultMemPool;
using ::cudaDeviceReset;
using ::cudaDriverGetVersion;
using ::cudaEventRecordWithFlags;
using ::cudaFreeAsync;
using ::cudaFuncSetAttribute;
using ::cudaHostGetDevicePointer;
using ::cudaHostGetFlags;
using ::cudaHostRegister;
using ::cudaHostUnregister;
using ::cudaMallocAsync;
using ::cudaMallocPitch;
using ::cudaMemGetInfo;
using ::cudaMemPoolSetAccess;
using ::cudaMemPoolSetAttribute;
using ::cudaMemPrefetchAsync;
using ::cudaMemcpy2D;
using ::cudaMemcpy2DAsync;
using ::cudaMemcpyFromSymbol;
using ::cudaMemcpyFromSymbolAsync;
using ::cudaMemcpyPeerAsync;
using ::cudaMemcpyToSymbol;
using ::cudaMemcpyToSymbolAsync;
using ::cudaMemset2D;
using ::cudaOccupancyMaxActiveBlocksPerMultiprocessor;
using ::cudaPointerGetAttributes;
using ::cudaProfilerStart;
using ::cudaProfilerStop;
using ::cudaRuntimeGetVersion;
using ::cudaSetDeviceFlags;
using ::cudaStreamAttachMemAsync;
using ::cudaStreamGetFlags;
using ::cudaStreamGetId;
using ::cudaStreamGetPriority;

}  // namespace used_by_some

static_assert(CUDART_PI > 3.14 && CUDART_PI_F > 3.14f && CUDART_INF_F > CUDART_MAX_NORMAL_F);

// The compiler must not know that a call which is refused leaves its argument as it was.
#if !defined(__clang__)
#pragma GCC diagnostic error "-Wuninitialized"
#endif
int main() {
  std::size_t bytes;
  return cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttributeType{}, &bytes) == cudaSuccess && bytes == 0;
}
