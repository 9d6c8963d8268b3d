// Calls that few programs make do what the manual says, and their recordings are those of honest programs (audited.whole).
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int count = 64;
constexpr std::size_t bytes = count * sizeof(int);

__constant__ int limits[2] = {3, 4};

__global__ void add(int* data, int amount) { data[threadIdx.x] += amount; }

int failures = 0;

void expect(const char* claim, bool is_so) {
  std::printf("%-60s %s\n", claim, is_so ? "" : "FAILED");
  failures += !is_so;
}

void record_with_flags(cudaStream_t stream) {
  for (const unsigned flags : {cudaEventDefault, cudaEventDisableTiming, cudaEventBlockingSync}) {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, flags);
    expect("cudaEventRecordWithFlags", cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault) == cudaSuccess &&
                                           cudaEventSynchronize(event) == cudaSuccess);
    cudaEventDestroy(event);
  }
}

void copy_boxes(cudaStream_t stream) {
  cudaPitchedPtr device;
  cudaExtent const box = make_cudaExtent(16 * sizeof(int), 2, 2);
  cudaMalloc3D(&device, box);
  int* host;
  cudaMallocHost(&host, bytes);
  expect("cudaMemset3DAsync", cudaMemset3DAsync(device, 1, box, stream) == cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = device;
  copy.dstPtr = make_cudaPitchedPtr(host, 16 * sizeof(int), 16, 2);
  copy.extent = box;
  copy.kind = cudaMemcpyDeviceToHost;
  expect("cudaMemcpy3DAsync", cudaMemcpy3DAsync(&copy, stream) == cudaSuccess &&
                                  cudaStreamSynchronize(stream) == cudaSuccess && host[count - 1] == 0x01010101);
  expect("cudaMemcpyFromSymbolAsync",
         cudaMemcpyFromSymbolAsync(host, limits, sizeof limits, 0, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
             cudaStreamSynchronize(stream) == cudaSuccess && host[1] == 4);
  cudaFree(device.ptr);
  cudaFreeHost(host);
}

void change_graph(cudaStream_t stream) {
  int *host, *other, *device;
  cudaMallocHost(&host, bytes);
  cudaMallocHost(&other, bytes);
  cudaMalloc(&device, bytes);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams zeros{};
  zeros.dst = device;
  zeros.elementSize = sizeof(int);
  zeros.width = count;
  zeros.height = 1;
  int amount = 5;
  void* arguments[] = {&device, &amount};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(count);
  kernel.kernelParams = arguments;
  cudaGraphNode_t memset_node, kernel_node, copy_node;
  cudaGraphAddMemsetNode(&memset_node, graph, nullptr, 0, &zeros);
  cudaGraphAddKernelNode(&kernel_node, graph, &memset_node, 1, &kernel);
  cudaGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, other, device, bytes, cudaMemcpyDeviceToHost);
  zeros.value = 7;
  amount = 6;
  expect("cudaGraphMemsetNodeSetParams", cudaGraphMemsetNodeSetParams(memset_node, &zeros) == cudaSuccess);
  expect("cudaGraphKernelNodeSetParams", cudaGraphKernelNodeSetParams(kernel_node, &kernel) == cudaSuccess);
  expect("cudaGraphMemcpyNodeSetParams1D",
         cudaGraphMemcpyNodeSetParams1D(copy_node, host, device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  expect("cudaGraphUpload", cudaGraphUpload(executable, stream) == cudaSuccess);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  expect("the graph does what its nodes were changed to", host[count - 1] == 13);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(device, bytes, bytes, 1);
  copy.dstPtr = make_cudaPitchedPtr(other, bytes, bytes, 1);
  copy.extent = make_cudaExtent(bytes, 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  expect("cudaGraphMemcpyNodeSetParams", cudaGraphMemcpyNodeSetParams(copy_node, &copy) == cudaSuccess);
  expect("cudaGraphExecMemcpyNodeSetParams",
         cudaGraphExecMemcpyNodeSetParams(executable, copy_node, &copy) == cudaSuccess);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  expect("the executable graph copies to the other memory", other[count - 1] == 13);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(device);
  cudaFreeHost(other);
  cudaFreeHost(host);
}

}  // namespace

int main() {
  expect("cudaInitDevice", cudaInitDevice(0, 0, 0) == cudaSuccess);
  expect("cudaFuncSetCacheConfig", cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared) == cudaSuccess);
  int value = 0;
  expect("cudaDeviceGetP2PAttribute of one device",
         cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0) == cudaErrorInvalidDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  record_with_flags(stream);
  copy_boxes(stream);
  change_graph(stream);
  cudaStreamDestroy(stream);
  return failures == 0 ? 0 : 1;
}
