// fails: EveryRoundIsRight
// where: 36 cause: graph_not_updated
// The first factor is that of the example, whatever it is.
#include "graphs.h"

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
  cudaStreamBeginCapture(work.upload, cudaStreamCaptureModeGlobal);
  queue_round(work, factor);
  cudaStreamWaitEvent(work.upload, work.pieces[work.piece_count - 1].event, 0);
  cudaStreamEndCapture(work.upload, &graph);
  return graph;
}

void process_rounds(const pipeline& work) {
  cudaGraph_t graph = capture_round(work, 0.5f);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);

  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);

    if (round > 0 && work.factors[round] != work.factors[round - 1]) {
      graph = capture_round(work, work.factors[round]);
      cudaGraphExecUpdateResultInfo result;
      cudaGraphExecUpdate(executable, graph, &result);
      cudaGraphDestroy(graph);
    }

    cudaGraphLaunch(executable, work.upload);
    cudaStreamSynchronize(work.upload);

    work.store(round);
  }

  cudaGraphExecDestroy(executable);
}
