// fails: EveryRoundIsRight
// where: 48 cause: graph_not_updated
// No update before the last round, so that a new factor there is missed.
#include "graphs.h"

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
  // TODO 1, done: a stream that waits for an event of the capture takes part in it. The last event stands for the last
  // copy back, which comes after everything else.
  cudaStreamBeginCapture(work.upload, cudaStreamCaptureModeGlobal);
  queue_round(work, factor);
  cudaStreamWaitEvent(work.upload, work.pieces[work.piece_count - 1].event, 0);
  cudaStreamEndCapture(work.upload, &graph);
  // end of TODO 1
  return graph;
}

void process_rounds(const pipeline& work) {
  // TODO 2, done: the executable graph is a copy, so the graph can go.
  cudaGraph_t graph = capture_round(work, work.factors[0]);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  // end of TODO 2

  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);

    // TODO 3, done: a captured launch keeps the arguments that it was captured with. A graph of the same shape
    // brings new ones, and nothing has to be instantiated.
    if (round > 0 && round + 1 < work.rounds && work.factors[round] != work.factors[round - 1]) {
      graph = capture_round(work, work.factors[round]);
      cudaGraphExecUpdateResultInfo result;
      cudaGraphExecUpdate(executable, graph, &result);
      cudaGraphDestroy(graph);
    }
    // end of TODO 3

    // TODO 4, done: all nodes belong to the launch, and the launch to this stream. In work.download nothing is queued.
    cudaGraphLaunch(executable, work.upload);
    cudaStreamSynchronize(work.upload);
    // end of TODO 4

    work.store(round);
  }

  // TODO 5, done: nothing of it is still in work, since every round was waited for.
  cudaGraphExecDestroy(executable);
  // end of TODO 5
}
