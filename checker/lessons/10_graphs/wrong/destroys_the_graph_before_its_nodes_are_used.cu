// fails: verdict:crashed
// where: 57
// The nodes of the graph go with it, and their parameters are asked for later.
#include "graphs.h"

#include <vector>

/// Queues one round, as lesson 08 queues its steps. This function stays as it is.
static void queue_round(const pipeline& work, float factor) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  for (int index = 0; index < work.piece_count; ++index) {
    const piece& mine = work.pieces[index];
    cudaMemcpyAsync(mine.values, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    for (int launch = 0; launch < work.launches; ++launch) {
      advance<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.values, work.elements, factor);
    }
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
  }
}

cudaGraph_t capture_round(const pipeline& work, float factor) {
  cudaGraph_t graph = nullptr;
  // TODO 1
  cudaStreamBeginCapture(work.upload, cudaStreamCaptureModeThreadLocal);
  queue_round(work, factor);
  cudaStreamWaitEvent(work.upload, work.pieces[work.piece_count - 1].event, 0);
  cudaStreamEndCapture(work.upload, &graph);
  // end of TODO 1
  return graph;
}

/// The nodes of a graph that are kernels.
static std::vector<cudaGraphNode_t> kernel_nodes(cudaGraph_t graph) {
  std::size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> all(count);
  cudaGraphGetNodes(graph, all.data(), &count);

  std::vector<cudaGraphNode_t> kernels;
  for (cudaGraphNode_t node : all) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    if (type == cudaGraphNodeTypeKernel) kernels.push_back(node);
  }
  return kernels;
}

/// Node by node, which is cheaper than another capture.
static void set_factor(cudaGraphExec_t executable, const std::vector<cudaGraphNode_t>& kernels, float factor) {
  for (cudaGraphNode_t node : kernels) {
    cudaKernelNodeParams params{};
    cudaGraphKernelNodeGetParams(node, &params);
    void* arguments[] = {params.kernelParams[0], params.kernelParams[1], &factor};
    params.kernelParams = arguments;
    cudaGraphExecKernelNodeSetParams(executable, node, &params);
  }
}

void process_rounds(const pipeline& work) {
  if (work.rounds < 1) return;

  cudaGraph_t graph = capture_round(work, work.factors[0]);
  const std::vector<cudaGraphNode_t> kernels = kernel_nodes(graph);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);

  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);
    if (round > 0 && work.factors[round] != work.factors[round - 1]) {
      set_factor(executable, kernels, work.factors[round]);
    }
    cudaGraphLaunch(executable, work.upload);
    cudaStreamSynchronize(work.upload);
    work.store(round);
  }

  cudaGraphExecDestroy(executable);
}
