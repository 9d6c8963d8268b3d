// Among the nodes of a graph only its edges are an order; outside, a launch has its place in its stream.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

/// Launches what was captured in a stream, and lets the device finish.
void launch(cudaGraph_t graph, cudaStream_t target) {
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, target);
  cudaStreamSynchronize(target);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace

TWIN(edge_between_two_captured_branches, "unordered_accesses") {
  stream origin, branch;
  event forked, joined, produced;
  device_buffer data, result;
  cudaGraph_t graph;
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(forked, origin);
  cudaStreamWaitEvent(branch, forked);
  fill<<<blocks, threads, 0, origin>>>(data, count, 1);
  cudaEventRecord(produced, origin);
  if (is_correct) cudaStreamWaitEvent(branch, produced);
  add_one<<<blocks, threads, 0, branch>>>(data, result, count);
  cudaEventRecord(joined, branch);
  cudaStreamWaitEvent(origin, joined);
  cudaStreamEndCapture(origin, &graph);
  launch(graph, origin);
}

TWIN(stream_of_the_graph_launch, "unordered_accesses") {
  stream origin, other;
  device_buffer data, result;
  cudaGraph_t graph;
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
  add_one<<<blocks, threads, 0, origin>>>(data, result, count);
  cudaStreamEndCapture(origin, &graph);
  fill<<<blocks, threads, 0, is_correct ? origin : other>>>(data, count, 1);
  launch(graph, origin);
}

TWIN(edge_between_two_nodes_added_by_hand, "unordered_accesses") {
  stream origin;
  device_buffer data;
  pinned_buffer result;
  cudaGraph_t graph;
  cudaGraphNode_t filled, copied;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams memset{};
  memset.dst = data;
  memset.value = 1;
  memset.elementSize = sizeof(int);
  memset.width = count;
  memset.height = 1;
  cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &memset);
  cudaGraphAddMemcpyNode1D(&copied, graph, &filled, is_correct ? 1 : 0, result, data, bytes,
                           cudaMemcpyDeviceToHost);
  launch(graph, origin);
}

TWIN(edge_behind_a_child_graph, "unordered_accesses") {
  stream origin;
  device_buffer data;
  pinned_buffer result;
  cudaGraph_t graph, child;
  cudaGraphNode_t inside, copied;
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
  fill<<<blocks, threads, 0, origin>>>(data, count, 1);
  cudaStreamEndCapture(origin, &child);
  cudaGraphCreate(&graph, 0);
  cudaGraphAddChildGraphNode(&inside, graph, nullptr, 0, child);
  cudaGraphAddMemcpyNode1D(&copied, graph, &inside, is_correct ? 1 : 0, result, data, bytes,
                           cudaMemcpyDeviceToHost);
  launch(graph, origin);
  cudaGraphDestroy(child);
}

TWIN(wait_before_the_source_of_a_graph_is_filled_again, "source_overwritten") {
  stream origin;
  device_buffer data;
  pinned_buffer source;
  cudaGraph_t graph;
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, origin);
  cudaStreamEndCapture(origin, &graph);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) source[i] = round;
    cudaGraphLaunch(executable, origin);
    if (is_correct) cudaStreamSynchronize(origin);
  }
  cudaStreamSynchronize(origin);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
