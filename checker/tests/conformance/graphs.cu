// Graphs built by hand, instantiated, launched, updated. Rules GG: the Programming Guide, "CUDA Graphs", and
// the Runtime API's page on graphs.
#include "conformance/gate.h"

using namespace conformance;

namespace {

__global__ void increment(volatile int* word) { *word = *word + 1; }

/// What a kernel node needs, with room for its arguments.
struct kernel_node {
  volatile int* where;
  int value;
  void* arguments[2] = {&where, &value};
  cudaKernelNodeParams parameters{};

  kernel_node(volatile int* word, int stored) : where(word), value(stored) {
    parameters.func = reinterpret_cast<void*>(static_cast<void (*)(volatile int*, int)>(&store));
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
  }
};

cudaGraph_t new_graph() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}

cudaGraphNode_t add(cudaGraph_t graph, const kernel_node& kernel, std::vector<cudaGraphNode_t> after = {}) {
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &kernel.parameters));
  return node;
}

cudaGraphExec_t executable(cudaGraph_t graph) {
  cudaGraphExec_t result = nullptr;
  CHECK(cudaGraphInstantiate(&result, graph, 0));
  return result;
}

void set_to_seven(void* word) { *static_cast<int*>(word) = 7; }

}  // namespace

RULE(GG1, "nodes run in the order of their edges, whatever the order in which they were added") {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const last = add(graph, kernel_node(word, 2));
  cudaGraphNode_t const first = add(graph, kernel_node(word, 1));
  CHECK(cudaGraphAddDependencies(graph, &first, &last, nullptr, 1));
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(executable(graph), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 2);
}

RULE(GG1, "an empty node hands order on") {
  volatile int* const word = shared_word();
  volatile int* const seen = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const first = add(graph, kernel_node(word, 1));
  cudaGraphNode_t between = nullptr, last = nullptr;
  CHECK(cudaGraphAddEmptyNode(&between, graph, &first, 1));
  const volatile int* from = word;
  volatile int* to = seen;
  void* arguments[] = {&to, &from};
  cudaKernelNodeParams copy{};
  copy.func = reinterpret_cast<void*>(&conformance::copy_word);
  copy.gridDim = copy.blockDim = dim3(1);
  copy.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&last, graph, &between, 1, &copy));
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(executable(graph), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*seen, 1);
}

RULE(GG2, "a launch has its place in the stream") {
  cudaStream_t const stream = blocking_stream();
  volatile int* const word = shared_word();
  volatile int* const after = shared_word();
  cudaGraph_t const graph = new_graph();
  add(graph, kernel_node(word, 1));
  cudaGraphExec_t const launched = executable(graph);
  gate closed;
  closed.hold(stream);
  CHECK(cudaGraphLaunch(launched, stream));
  copy_word<<<1, 1, 0, stream>>>(after, word);
  let_device_run();
  EXPECT_EQUAL(*word, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*after, 1);
}

RULE(GG2, "branches without an edge between them can run at once") {
  volatile int* const flag = shared_word();
  cudaStream_t const stream = blocking_stream();
  cudaStream_t const forked = blocking_stream();
  cudaEvent_t const fork = new_event(), join = new_event();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(forked, fork));
  wait_at_gate<<<1, 1, 0, stream>>>(flag);  // goes on only when the other branch has run
  store<<<1, 1, 0, forked>>>(flag, 1);
  CHECK(cudaEventRecord(join, forked));
  CHECK(cudaStreamWaitEvent(stream, join));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphLaunch(executable(graph), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*flag, 1);
}

RULE(GG2, "launches of one executable graph follow each other, in whatever streams") {
  volatile int* const word = device_word();
  CHECK(cudaMemset(untyped(word), 0, sizeof(int)));
  cudaGraph_t const graph = new_graph();
  cudaKernelNodeParams kernel{};
  volatile int* where = word;
  void* arguments[] = {&where};
  kernel.func = reinterpret_cast<void*>(&increment);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  cudaGraphExec_t const launched = executable(graph);
  cudaStream_t const streams[] = {non_blocking_stream(), non_blocking_stream()};
  for (int i = 0; i < 10; ++i) CHECK(cudaGraphLaunch(launched, streams[i % 2]));
  CHECK(cudaDeviceSynchronize());
  int result = 0;
  CHECK(cudaMemcpy(&result, untyped(word), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 10);
}

RULE(GG3, "an executable graph outlives its graph, and takes no part in changes of it") {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph();
  add(graph, kernel_node(word, 1));
  cudaGraphExec_t const launched = executable(graph);
  CHECK(cudaGraphDestroy(graph));
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(launched, stream));
  CHECK(cudaGraphExecDestroy(launched));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 1);
}

RULE(GG3, "edges that go round in a circle cannot be instantiated") {
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t first = nullptr, second = nullptr;
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  const cudaError_t added = cudaGraphAddDependencies(graph, &second, &first, nullptr, 1);
  cudaGraphExec_t launched = nullptr;
  EXPECT(added != cudaSuccess || cudaGraphInstantiate(&launched, graph, 0) != cudaSuccess);
}

RULE(GG4, "a host node runs host code between device work") {
  int word = 0;
  cudaGraph_t const graph = new_graph();
  cudaHostNodeParams host{&set_to_seven, &word};
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphNodeGetType(node, &type));
  EXPECT_EQUAL(type, cudaGraphNodeTypeHost);
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(executable(graph), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(word, 7);
}

RULE(GG4, "an event recorded by a node is complete when that node is") {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  cudaGraphExec_t const launched = executable(graph);
  gate closed;
  closed.hold(stream);
  CHECK(cudaGraphLaunch(launched, stream));
  EXPECT_EQUAL(cudaEventQuery(event), cudaErrorNotReady);
  closed.release();
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaEventQuery(event));
}

RULE(GG5, "an executable graph takes new parameters from a graph of the same shape") {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph(), same = new_graph(), other = new_graph();
  cudaGraphNode_t const node = add(graph, kernel_node(word, 1));
  add(same, kernel_node(word, 2));
  cudaGraphExec_t const launched = executable(graph);
  cudaStream_t const stream = blocking_stream();
  cudaGraphExecUpdateResultInfo result{};
  CHECK(cudaGraphExecUpdate(launched, same, &result));
  CHECK(cudaGraphLaunch(launched, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 2);
  EXPECT_EQUAL(cudaGraphExecUpdate(launched, other, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQUAL(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  (void)node;
}

RULE(GG5, "one kernel of an executable graph takes new arguments") {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const node = add(graph, kernel_node(word, 1));
  cudaGraphExec_t const launched = executable(graph);
  const kernel_node changed(word, 5);
  CHECK(cudaGraphExecKernelNodeSetParams(launched, node, &changed.parameters));
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(launched, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 5);
}

RULE(GG6, "a clone is a graph of its own") {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph();
  add(graph, kernel_node(word, 1));
  cudaGraph_t clone = nullptr;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphDestroy(graph));
  std::size_t nodes = 0, roots = 0;
  CHECK(cudaGraphGetNodes(clone, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(clone, nullptr, &roots));
  EXPECT_EQUAL(nodes, std::size_t{1});
  EXPECT_EQUAL(roots, std::size_t{1});
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(executable(clone), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 1);
}
