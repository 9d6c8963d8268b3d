// Graphs built by hand, instantiated, launched, updated. Rules GG: the Programming Guide, "CUDA Graphs", and
// the Runtime API's page on graphs.
#include <utility>

#include "conformance/gate.h"
#include "conformance/graph_edges.h"

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
void set_to_eight(void* word) { *static_cast<int*>(word) = 8; }

/// Launches and waits.
void run(cudaGraphExec_t launched) {
  static cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(launched, stream));
  CHECK(cudaStreamSynchronize(stream));
}

cudaGraphNode_t add_copy(cudaGraph_t graph, volatile int* to, volatile int* from,
                         std::vector<cudaGraphNode_t> after = {}) {
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), untyped(to), untyped(from),
                                 sizeof(int), cudaMemcpyDefault));
  return node;
}

/// Sets `rows` rows of `width` elements.
cudaMemsetParams memset_of(void* where, unsigned int value, unsigned int element, std::size_t width,
                           std::size_t rows = 1, std::size_t pitch = 0) {
  cudaMemsetParams result{};
  result.dst = where;
  result.pitch = pitch;
  result.value = value;
  result.elementSize = element;
  result.width = width;
  result.height = rows;
  return result;
}

cudaGraphNode_t add_memset(cudaGraph_t graph, const cudaMemsetParams& parameters) {
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters));
  return node;
}

cudaGraphNodeType type_of(cudaGraphNode_t node) {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphNodeGetType(node, &type));
  return type;
}

}  // namespace

RULE(GG1, "nodes run in the order of their edges, whatever the order in which they were added",
     programming_guide("CUDA Graphs", "graph structure")) {
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

RULE(GG1, "an empty node hands order on", runtime_api("Graph Management", "cudaGraphAddEmptyNode")) {
  volatile int* const word = shared_word();
  volatile int* const observed = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const first = add(graph, kernel_node(word, 1));
  cudaGraphNode_t between = nullptr, last = nullptr;
  CHECK(cudaGraphAddEmptyNode(&between, graph, &first, 1));
  const volatile int* from = word;
  volatile int* to = observed;
  void* arguments[] = {&to, &from};
  cudaKernelNodeParams copy{};
  copy.func = reinterpret_cast<void*>(&conformance::copy_word);
  copy.gridDim = copy.blockDim = dim3(1);
  copy.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&last, graph, &between, 1, &copy));
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaGraphLaunch(executable(graph), stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*observed, 1);
}

RULE(GG2, "a launch has its place in the stream", runtime_api("Graph Management", "cudaGraphLaunch")) {
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

RULE(GG2, "branches without an edge between them can run at once",
     programming_guide("CUDA Graphs", "graph structure")) {
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

RULE(GG2, "launches of one executable graph follow each other, in whatever streams",
     runtime_api("Graph Management", "cudaGraphLaunch")) {
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

RULE(GG3, "an executable graph outlives its graph, and takes no part in changes of it",
     runtime_api("Graph Management", "cudaGraphInstantiate"),
     runtime_api("Graph Management", "cudaGraphDestroy")) {
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

RULE(GG3, "edges that go round in a circle cannot be instantiated",
     runtime_api("Graph Management", "cudaGraphInstantiate"), measured_on_h200) {
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t first = nullptr, second = nullptr;
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  const cudaError_t added = cudaGraphAddDependencies(graph, &second, &first, nullptr, 1);
  cudaGraphExec_t launched = nullptr;
  EXPECT(added != cudaSuccess || cudaGraphInstantiate(&launched, graph, 0) != cudaSuccess);
}

RULE(GG4, "a host node runs host code between device work",
     runtime_api("Graph Management", "cudaGraphAddHostNode")) {
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

RULE(GG4, "an event recorded by a node is complete when that node is",
     runtime_api("Graph Management", "cudaGraphAddEventRecordNode")) {
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

RULE(GG5, "an executable graph takes new parameters from a graph of the same shape",
     runtime_api("Graph Management", "cudaGraphExecUpdate")) {
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

RULE(GG5, "an update can tell its result without the rest", runtime_api("Graph Management", "cudaGraphExecUpdate")) {
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph(), same = new_graph(), other = new_graph();
  add(graph, kernel_node(word, 1));
  add(same, kernel_node(word, 2));
  cudaGraphExec_t const launched = executable(graph);
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
  CHECK(cudaGraphExecUpdate(launched, same, nullptr, &result));
  EXPECT_EQUAL(result, cudaGraphExecUpdateSuccess);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQUAL(cudaGraphExecUpdate(launched, other, &node, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQUAL(result, cudaGraphExecUpdateErrorTopologyChanged);
}

RULE(GG5, "one kernel of an executable graph takes new arguments",
     runtime_api("Graph Management", "cudaGraphExecKernelNodeSetParams")) {
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

__global__ void add_to_word(volatile int* word, int added) { *word += added; }

RULE(GG5, "a kernel node tells the arguments that a capture gave it",
     runtime_api("Graph Management", "cudaGraphKernelNodeGetParams")) {
  volatile int* const word = shared_word();
  *word = 1;
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add_to_word<<<1, 2, 0, stream>>>(word, 3);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  CHECK(cudaGraphGetNodes(graph, &node, &count));
  cudaKernelNodeParams parameters{};
  CHECK(cudaGraphKernelNodeGetParams(node, &parameters));
  EXPECT(parameters.func == reinterpret_cast<void*>(&add_to_word));
  EXPECT_EQUAL(parameters.blockDim.x, 2u);
  EXPECT(*static_cast<volatile int**>(parameters.kernelParams[0]) == word);
  EXPECT_EQUAL(*static_cast<int*>(parameters.kernelParams[1]), 3);
  int five = 5;
  void* arguments[] = {parameters.kernelParams[0], &five};
  parameters.kernelParams = arguments;
  parameters.blockDim = dim3(1);
  cudaGraphExec_t const launched = executable(graph);
  CHECK(cudaGraphExecKernelNodeSetParams(launched, node, &parameters));
  CHECK(cudaGraphLaunch(launched, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*word, 6);
  EXPECT_EQUAL(cudaGraphKernelNodeGetParams(node, nullptr), cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(graph));
}

RULE(GG6, "a clone is a graph of its own", runtime_api("Graph Management", "cudaGraphClone")) {
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

RULE(GG5, "a copy, a memset and a host node of an executable graph take new parameters",
     runtime_api("Graph Management", "cudaGraphExecMemcpyNodeSetParams"),
     runtime_api("Graph Management", "cudaGraphExecMemsetNodeSetParams")) {
  volatile int* const from = shared_word(3);
  volatile int* const to = shared_word();
  volatile int* const set = device_word();
  volatile int* const result = shared_word();
  int word = 0;
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const copied = add_copy(graph, to, result);
  cudaMemsetParams memset = memset_of(untyped(set), 1, 4, 1);
  cudaGraphNode_t const filled = add_memset(graph, memset);
  add_copy(graph, result, set, {filled, copied});
  cudaHostNodeParams host{&set_to_seven, &word};
  cudaGraphNode_t called = nullptr;
  CHECK(cudaGraphAddHostNode(&called, graph, nullptr, 0, &host));
  cudaGraphExec_t const launched = executable(graph);
  memset.value = 5;
  host.fn = &set_to_eight;
  CHECK(cudaGraphExecMemsetNodeSetParams(launched, filled, &memset));
  CHECK(cudaGraphExecHostNodeSetParams(launched, called, &host));
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(launched, copied, untyped(to), untyped(from), sizeof(int),
                                           cudaMemcpyDefault));
  run(launched);
  EXPECT_EQUAL(*to, 3);
  EXPECT_EQUAL(*result, 5);
  EXPECT_EQUAL(word, 8);
}

RULE(GG5, "a node with new parameters changes later executable graphs, not earlier ones",
     runtime_api("Graph Management", "cudaGraphKernelNodeSetParams")) {
  int word = 0;
  cudaGraph_t const graph = new_graph();
  cudaHostNodeParams host{&set_to_seven, &word};
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
  cudaGraphExec_t const earlier = executable(graph);
  host.fn = &set_to_eight;
  CHECK(cudaGraphHostNodeSetParams(node, &host));
  cudaGraphExec_t const later = executable(graph);
  run(earlier);
  EXPECT_EQUAL(word, 7);
  run(later);
  EXPECT_EQUAL(word, 8);
  cudaHostNodeParams actual{};
  CHECK(cudaGraphHostNodeGetParams(node, &actual));
  EXPECT(actual.fn == &set_to_eight && actual.userData == &word);
}

RULE(GG6, "a node has its like in a clone", runtime_api("Graph Management", "cudaGraphNodeFindInClone")) {
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t first = nullptr, second = nullptr, found = nullptr;
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  cudaGraph_t clone = nullptr;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&found, second, clone));
  std::size_t before = 0;
  CHECK(cudaGraphNodeGetDependencies(found, nullptr, nullptr, &before));
  EXPECT(found != second);
  EXPECT_EQUAL(before, std::size_t{1});
}

RULE(GG7, "a copy node reads its source at each launch, when its turn has come",
     runtime_api("Graph Management", "cudaGraphAddMemcpyNode")) {
  volatile int* const source = shared_word(1);
  volatile int* const inside = device_word();
  volatile int* const result = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const upload = add_copy(graph, inside, source);
  EXPECT_EQUAL(type_of(upload), cudaGraphNodeTypeMemcpy);
  add_copy(graph, result, inside, {upload});
  cudaGraphExec_t const launched = executable(graph);
  cudaStream_t const stream = blocking_stream();
  for (int value = 2; value < 4; ++value) {
    gate closed;
    closed.hold(stream);
    CHECK(cudaGraphLaunch(launched, stream));
    let_device_run();
    *source = value;
    closed.release();
    CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQUAL(*result, value);
  }
}

RULE(GG7, "a copy node of pageable memory does so too",
     runtime_api("Graph Management", "cudaGraphAddMemcpyNode")) {
  int source = 1, result = 0;
  volatile int* const inside = device_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const upload = add_copy(graph, inside, &source);
  add_copy(graph, &result, inside, {upload});
  cudaGraphExec_t const launched = executable(graph);
  for (source = 2; source < 4; ++source) {
    run(launched);
    EXPECT_EQUAL(result, source);
  }
}

RULE(GG7, "a copy node moves a part of a volume", runtime_api("Graph Management", "cudaGraphAddMemcpyNode")) {
  constexpr std::size_t side = 4;
  int from[side][side][side], to[side][side][side] = {};
  for (std::size_t i = 0; i < side * side * side; ++i) (&from[0][0][0])[i] = static_cast<int>(i);
  cudaMemcpy3DParms part{};
  part.srcPtr = make_cudaPitchedPtr(from, sizeof from[0][0], side, side);
  part.dstPtr = make_cudaPitchedPtr(to, sizeof to[0][0], side, side);
  part.srcPos = make_cudaPos(sizeof(int), 1, 2);
  part.extent = make_cudaExtent(2 * sizeof(int), 3, 2);
  part.kind = cudaMemcpyHostToHost;
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &part));
  run(executable(graph));
  EXPECT_EQUAL(to[0][0][0], from[2][1][1]);
  EXPECT_EQUAL(to[1][2][1], from[3][3][2]);
  EXPECT_EQUAL(to[0][0][2], 0);
  EXPECT_EQUAL(to[0][3][0], 0);
  cudaMemcpy3DParms actual{};
  CHECK(cudaGraphMemcpyNodeGetParams(node, &actual));
  EXPECT_EQUAL(actual.extent.width, part.extent.width);
  EXPECT_EQUAL(actual.extent.depth, part.extent.depth);
}

RULE(GG8, "a memset node repeats elements of one, two or four bytes",
     runtime_api("Graph Management", "cudaGraphAddMemsetNode")) {
  // A value wider than the element is nothing that the manual speaks of: an H200 mixes its bytes.
  for (const auto& [element, value] :
       {std::pair(1u, 0x04u), std::pair(2u, 0x0304u), std::pair(4u, 0x01020304u)}) {
    unsigned char result[12] = {};
    void* where = nullptr;
    CHECK(cudaMalloc(&where, sizeof result));
    cudaGraph_t const graph = new_graph();
    EXPECT_EQUAL(type_of(add_memset(graph, memset_of(where, value, element, sizeof result / element))),
                 cudaGraphNodeTypeMemset);
    run(executable(graph));
    CHECK(cudaMemcpy(result, where, sizeof result, cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < sizeof result; ++i)
      EXPECT_EQUAL(result[i], reinterpret_cast<const unsigned char*>(&value)[i % element]);
  }
}

RULE(GG8, "a memset node of several rows leaves what is between them alone",
     runtime_api("Graph Management", "cudaGraphAddMemsetNode")) {
  unsigned char result[24] = {};
  unsigned char* where = nullptr;
  CHECK(cudaMalloc(&where, sizeof result));
  CHECK(cudaMemset(where, 0, sizeof result));
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const node = add_memset(graph, memset_of(where, 9, 4, 1, 3, 8));
  run(executable(graph));
  CHECK(cudaMemcpy(result, where, sizeof result, cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < sizeof result; ++i) EXPECT_EQUAL(int{result[i]}, i % 8 == 0 ? 9 : 0);
  cudaMemsetParams actual{};
  CHECK(cudaGraphMemsetNodeGetParams(node, &actual));
  EXPECT(actual.dst == where && actual.value == 9 && actual.elementSize == 4);
  EXPECT_EQUAL(actual.width, std::size_t{1});
  EXPECT_EQUAL(actual.height, std::size_t{3});
}

RULE(GG8, "a memset node has elements of no other size",
     runtime_api("Graph Management", "cudaGraphAddMemsetNode")) {
  volatile int* const word = device_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t node = nullptr;
  const cudaMemsetParams parameters = memset_of(untyped(word), 0, 3, 1);
  EXPECT_EQUAL(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters), cudaErrorInvalidValue);
}

RULE(GG9, "a child graph runs as a whole between what is before and behind its node",
     runtime_api("Graph Management", "cudaGraphAddChildGraphNode")) {
  volatile int* const word = shared_word();
  volatile int* const observed = shared_word();
  volatile int* const result = shared_word();
  cudaGraph_t const child = new_graph();
  cudaGraphNode_t const inner = add_copy(child, observed, word);
  add_copy(child, result, observed, {inner});
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t const before = add(graph, kernel_node(word, 4));
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddChildGraphNode(&node, graph, &before, 1, child));
  EXPECT_EQUAL(type_of(node), cudaGraphNodeTypeGraph);
  add(graph, kernel_node(result, 5), {node});
  run(executable(graph));
  EXPECT_EQUAL(*observed, 4);
  EXPECT_EQUAL(*result, 5);
}

RULE(GG9, "a child graph node keeps the graph as it was when it was added",
     runtime_api("Graph Management", "cudaGraphAddChildGraphNode")) {
  volatile int* const word = shared_word();
  cudaGraph_t const child = new_graph();
  add(child, kernel_node(word, 1));
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  CHECK(cudaGraphDestroy(child));
  cudaGraph_t inside = nullptr;
  std::size_t nodes = 0;
  CHECK(cudaGraphChildGraphNodeGetGraph(node, &inside));
  CHECK(cudaGraphGetNodes(inside, nullptr, &nodes));
  EXPECT_EQUAL(nodes, std::size_t{1});
  run(executable(graph));
  EXPECT_EQUAL(*word, 1);
}

RULE(GG10, "behind a wait node nothing runs before the event that was recorded last",
     runtime_api("Graph Management", "cudaGraphAddEventWaitNode")) {
  cudaStream_t const recorded = blocking_stream(), launching = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const word = shared_word();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t wait = nullptr;
  CHECK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  EXPECT_EQUAL(type_of(wait), cudaGraphNodeTypeWaitEvent);
  add(graph, kernel_node(word, 1), {wait});
  cudaGraphExec_t const launched = executable(graph);
  gate closed;
  closed.hold(recorded);
  CHECK(cudaEventRecord(event, recorded));
  CHECK(cudaGraphLaunch(launched, launching));
  let_device_run();
  EXPECT_EQUAL(*word, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(launching));
  EXPECT_EQUAL(*word, 1);
}

RULE(GG11, "edges and nodes can be taken away",
     runtime_api("Graph Management", "cudaGraphRemoveDependencies"),
     runtime_api("Graph Management", "cudaGraphDestroyNode")) {
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t first = nullptr, second = nullptr, third = nullptr;
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  CHECK(cudaGraphAddEmptyNode(&third, graph, &second, 1));
  std::size_t behind = 0, edges = 0, nodes = 0;
  CHECK(cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &behind));
  EXPECT_EQUAL(behind, std::size_t{1});
  CHECK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQUAL(edges, std::size_t{1});
  CHECK(cudaGraphDestroyNode(second));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQUAL(edges, std::size_t{0});
  EXPECT_EQUAL(nodes, std::size_t{2});
}

RULE(GG11, "edges are given as they were told: data of zeros are none, and a longer list ends in null",
     runtime_api("Graph Management", "cudaGraphAddDependencies"),
     runtime_api("Graph Management", "cudaGraphGetEdges")) {
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t first = nullptr, second = nullptr;
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, nullptr, 0));
  const cudaGraphEdgeData plain{};
  CHECK(cudaGraphAddDependencies(graph, &first, &second, &plain, 1));
  cudaGraphNode_t from[2] = {second, second}, to[2] = {first, first};
  cudaGraphEdgeData data[2];
  std::size_t edges = 2;
  CHECK(cudaGraphGetEdges(graph, from, to, data, &edges));
  EXPECT_EQUAL(edges, std::size_t{1});
  EXPECT(from[0] == first && to[0] == second);
  EXPECT(from[1] == nullptr && to[1] == nullptr);
  CHECK(cudaGraphRemoveDependencies(graph, from, to, data, edges));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQUAL(edges, std::size_t{0});
}

RULE(GG10, "event nodes take other events, of executable graphs too",
     runtime_api("Graph Management", "cudaGraphEventRecordNodeSetEvent"),
     runtime_api("Graph Management", "cudaGraphExecEventRecordNodeSetEvent")) {
  cudaEvent_t const first = new_event(), second = new_event(), third = new_event();
  cudaGraph_t const graph = new_graph();
  cudaGraphNode_t record = nullptr, wait = nullptr;
  CHECK(cudaGraphAddEventRecordNode(&record, graph, nullptr, 0, first));
  CHECK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, first));
  CHECK(cudaGraphEventRecordNodeSetEvent(record, second));
  CHECK(cudaGraphEventWaitNodeSetEvent(wait, third));
  cudaEvent_t actual = nullptr;
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &actual));
  EXPECT(actual == second);
  CHECK(cudaGraphEventWaitNodeGetEvent(wait, &actual));
  EXPECT(actual == third);
  cudaGraphExec_t const launched = executable(graph);
  run(launched);
  CHECK(cudaGraphExecEventRecordNodeSetEvent(launched, record, third));
  CHECK(cudaGraphExecEventWaitNodeSetEvent(launched, wait, second));
  run(launched);
  // Only what was recorded has a time.
  float time = -1;
  CHECK(cudaEventElapsedTime(&time, second, third));
  EXPECT(cudaEventElapsedTime(&time, first, third) != cudaSuccess);
}
