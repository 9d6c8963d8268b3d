// graph_memory.cu: memory that a graph allocates and frees: by nodes, and by capture.
#include "rule.h"

using namespace conformance;

namespace {

constexpr int count = 1000;
constexpr std::size_t bytes = count * sizeof(int);

__global__ void fill(int* to, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value + i;
}
__global__ void add(int* to, const int* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i];
}

cudaStream_t new_stream() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  return stream;
}

cudaMemAllocNodeParams memory_of(std::size_t size) {
  cudaMemAllocNodeParams parameters = {};
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location.type = cudaMemLocationTypeDevice;
  parameters.poolProps.location.id = 0;
  parameters.bytesize = size;
  return parameters;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void* kernel, void** arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = kernel;
  parameters.gridDim = dim3((count + 127) / 128);
  parameters.blockDim = dim3(128);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &parameters));
  return node;
}

/// Memory is allocated, filled and added to `total`, then freed when asked for.
struct graph_with_memory {
  graph_with_memory(int* total, bool frees) {
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams parameters = memory_of(bytes);
    CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &parameters));
    memory = static_cast<int*>(parameters.dptr);
    int value = 7;
    void* fill_arguments[] = {&memory, &value};
    const cudaGraphNode_t filled = add_kernel(graph, allocation, reinterpret_cast<void*>(&fill), fill_arguments);
    void* add_arguments[] = {&total, &memory};
    const cudaGraphNode_t added = add_kernel(graph, filled, reinterpret_cast<void*>(&add), add_arguments);
    if (frees) CHECK(cudaGraphAddMemFreeNode(&release, graph, &added, 1, memory));
  }
  cudaGraph_t graph;
  cudaGraphNode_t allocation, release;
  int* memory;
};

std::vector<int> content_of(const int* device) {
  std::vector<int> values(count);
  CHECK(cudaMemcpy(values.data(), device, bytes, cudaMemcpyDeviceToHost));
  return values;
}

int* zeros() {
  int* device = nullptr;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemset(device, 0, bytes));
  return device;
}

}  // namespace

RULE(GM1, "each launch of a graph has the memory that its nodes allocate",
     runtime_api("Graph Management", "cudaGraphAddMemAllocNode"), runtime_api("Graph Management", "cudaGraphAddMemFreeNode")) {
  int* const total = zeros();
  const graph_with_memory made(total, true);
  cudaGraphExec_t launchable;
  CHECK(cudaGraphInstantiate(&launchable, made.graph, 0));
  const cudaStream_t stream = new_stream();
  for (int launch = 0; launch < 3; ++launch) CHECK(cudaGraphLaunch(launchable, stream));
  CHECK(cudaStreamSynchronize(stream));
  const std::vector<int> found = content_of(total);
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(found[i], 3 * (7 + i));
  CHECK(cudaGraphExecDestroy(launchable));
  CHECK(cudaGraphDestroy(made.graph));
}

RULE(GM1, "nodes tell their memory", runtime_api("Graph Management", "cudaGraphMemAllocNodeGetParams"),
     runtime_api("Graph Management", "cudaGraphMemFreeNodeGetParams")) {
  const graph_with_memory made(zeros(), true);
  cudaMemAllocNodeParams parameters;
  CHECK(cudaGraphMemAllocNodeGetParams(made.allocation, &parameters));
  EXPECT(parameters.dptr == made.memory);
  EXPECT_EQUAL(parameters.bytesize, bytes);
  void* freed = nullptr;
  CHECK(cudaGraphMemFreeNodeGetParams(made.release, &freed));
  EXPECT(freed == made.memory);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(made.allocation, &type));
  EXPECT_EQUAL(static_cast<int>(type), static_cast<int>(cudaGraphNodeTypeMemAlloc));
  CHECK(cudaGraphNodeGetType(made.release, &type));
  EXPECT_EQUAL(static_cast<int>(type), static_cast<int>(cudaGraphNodeTypeMemFree));
}

RULE(GM2, "memory that a graph does not free is the program's until it frees it",
     runtime_api("Graph Management", "cudaGraphAddMemAllocNode")) {
  const graph_with_memory made(zeros(), false);
  cudaGraphExec_t launchable;
  CHECK(cudaGraphInstantiate(&launchable, made.graph, 0));
  const cudaStream_t stream = new_stream();
  CHECK(cudaGraphLaunch(launchable, stream));
  EXPECT_EQUAL(cudaGraphLaunch(launchable, stream), cudaErrorInvalidValue);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(content_of(made.memory)[5], 12);
  CHECK(cudaFreeAsync(made.memory, stream));
  CHECK(cudaGraphLaunch(launchable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(made.memory));
}

RULE(GM2, "memory that the program has freed is its own again after the next launch",
     runtime_api("Graph Management", "cudaGraphAddMemAllocNode")) {
  const graph_with_memory made(zeros(), false);
  cudaGraphExec_t launchable;
  CHECK(cudaGraphInstantiate(&launchable, made.graph, 0));
  const cudaStream_t stream = new_stream();
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaGraphLaunch(launchable, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(made.memory));
  }
  CHECK(cudaGraphLaunch(launchable, stream));
  CHECK(cudaFreeAsync(made.memory, stream));
  CHECK(cudaStreamSynchronize(stream));
}

RULE(GM2, "a graph can free what its earlier launch left", runtime_api("Graph Management", "cudaGraphInstantiate")) {
  int* const total = zeros();
  const graph_with_memory made(total, false);
  cudaGraphExec_t launchable;
  CHECK(cudaGraphInstantiate(&launchable, made.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  const cudaStream_t stream = new_stream();
  for (int launch = 0; launch < 3; ++launch) CHECK(cudaGraphLaunch(launchable, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(content_of(total)[1], 24);
  CHECK(cudaFree(made.memory));
}

RULE(GM3, "captured allocations and releases are nodes", runtime_api("Stream Ordered Memory Allocator", "cudaMallocAsync"),
     runtime_api("Stream Ordered Memory Allocator", "cudaFreeAsync")) {
  int* const total = zeros();
  const cudaStream_t stream = new_stream();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, bytes, stream));
  fill<<<(count + 127) / 128, 128, 0, stream>>>(memory, 1);
  add<<<(count + 127) / 128, 128, 0, stream>>>(total, memory);
  std::vector<int> copied(count);
  CHECK(cudaMemcpyAsync(copied.data(), memory, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaMemsetAsync(memory, 0, bytes, stream));
  CHECK(cudaFreeAsync(memory, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQUAL(nodes, std::size_t{6});
  cudaGraphExec_t launchable;
  CHECK(cudaGraphInstantiate(&launchable, graph, 0));
  for (int launch = 0; launch < 2; ++launch) CHECK(cudaGraphLaunch(launchable, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(content_of(total)[4], 10);
  EXPECT_EQUAL(copied[3], 4);
}

RULE(GM4, "a graph with memory nodes is instantiated once at a time, and not cloned",
     runtime_api("Graph Management", "cudaGraphAddMemAllocNode")) {
  const graph_with_memory made(zeros(), true);
  cudaGraphExec_t launchable, second;
  CHECK(cudaGraphInstantiate(&launchable, made.graph, 0));
  EXPECT(cudaGraphInstantiate(&second, made.graph, 0) != cudaSuccess);
  cudaGraph_t copy;
  EXPECT(cudaGraphClone(&copy, made.graph) != cudaSuccess);
  CHECK(cudaGraphExecDestroy(launchable));
  CHECK(cudaGraphInstantiate(&second, made.graph, 0));
}

RULE(GM4, "a graph frees only what graphs allocate, and once", runtime_api("Graph Management", "cudaGraphAddMemFreeNode")) {
  const graph_with_memory made(zeros(), true);
  cudaGraphNode_t node;
  EXPECT_EQUAL(cudaGraphAddMemFreeNode(&node, made.graph, nullptr, 0, zeros()), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGraphAddMemFreeNode(&node, made.graph, &made.release, 1, made.memory), cudaErrorInvalidValue);
}
