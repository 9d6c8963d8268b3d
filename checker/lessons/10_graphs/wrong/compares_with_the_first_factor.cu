// fails: EveryRoundIsRight also: HostTimeIsSmall
// where: 56 cause: graph_not_updated
// The factor is compared with the first one for ever: a return to that is not noticed.
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

static cudaGraphExec_t instantiated(const pipeline& work, float factor) {
  cudaGraph_t graph = capture_round(work, factor);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  return executable;
}

static void renew(cudaGraphExec_t executable, const pipeline& work, float factor) {
  cudaGraph_t graph = capture_round(work, factor);
  cudaGraphExecUpdateResultInfo info{};
  cudaGraphExecUpdate(executable, graph, &info);
  cudaGraphDestroy(graph);
}

void process_rounds(const pipeline& work) {
  const float known = work.factors[0];
  cudaGraphExec_t executable = instantiated(work, known);

  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);

    const bool is_new = work.factors[round] != known;
    if (is_new) {
      renew(executable, work, work.factors[round]);
    }

    cudaGraphLaunch(executable, work.upload);
    cudaStreamSynchronize(work.upload);
    work.store(round);
  }
  cudaGraphExecDestroy(executable);
}
