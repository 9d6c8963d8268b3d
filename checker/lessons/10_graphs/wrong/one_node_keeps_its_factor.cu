// fails: EveryRoundIsRight
// where: 29 cause: wrong_value
// The nodes are changed one by one, and the loop ends before the last.
#include "graphs.h"
#include <vector>

template <typename F>
static void with_params(const pipeline& work, int index, float factor, F use) {
  float* values = work.pieces[index].values;
  int elements = work.elements;
  void* args[] = {&values, &elements, &factor};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(&advance);
  params.gridDim = dim3(work.blocks);
  params.blockDim = dim3(threads_per_block);
  params.kernelParams = args;
  use(params);
}

static cudaGraph_t make(const pipeline& work, float factor, std::vector<cudaGraphNode_t>* kernels) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  for (int index = 0; index < work.piece_count; ++index) {
    const piece& mine = work.pieces[index];
    cudaGraphNode_t last = nullptr, next = nullptr;
    cudaGraphAddMemcpyNode1D(&last, graph, nullptr, 0, mine.values, mine.input, bytes, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < work.launches; ++launch) {
      with_params(work, index, factor, [&](const cudaKernelNodeParams& params) { cudaGraphAddKernelNode(&next, graph, &last, 1, &params); });
      if (kernels) kernels->push_back(next);
      last = next;
    }
    cudaGraphAddMemcpyNode1D(&next, graph, &last, 1, mine.output, mine.values, bytes, cudaMemcpyDeviceToHost);
  }
  return graph;
}

cudaGraph_t capture_round(const pipeline& work, float factor) { return make(work, factor, nullptr); }

void process_rounds(const pipeline& work) {
  std::vector<cudaGraphNode_t> kernels;
  cudaGraph_t graph = make(work, work.factors[0], &kernels);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);
    if (round > 0 && work.factors[round] != work.factors[round - 1]) {
      for (std::size_t i = 0; i + 1 < kernels.size(); ++i)
        with_params(work, static_cast<int>(i) / work.launches, work.factors[round],
                    [&](const cudaKernelNodeParams& params) { cudaGraphExecKernelNodeSetParams(executable, kernels[i], &params); });
    }
    cudaGraphLaunch(executable, work.compute);
    cudaStreamSynchronize(work.compute);
    work.store(round);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
