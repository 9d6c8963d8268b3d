// Lesson 10: CUDA graphs. README.md explains the idea, graphs.h says what you are given.
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
  // TODO 1: capture what queue_round() queues; the capture ends in the stream in which it began, and the other streams
  // have to be joined to it by then (about 5 lines)
  // end of TODO 1
  return graph;
}

void process_rounds(const pipeline& work) {
  // TODO 2: before the first round, capture a round and instantiate its graph (about 4 lines)
  // end of TODO 2

  for (int round = 0; round < work.rounds; ++round) {
    work.load(round);

    // TODO 3: where the factor is a new one, capture a round with it and update what you instantiated (about 6 lines)
    // end of TODO 3

    // TODO 4: launch the graph in place of queuing the round, and wait for it (2 lines)
    queue_round(work, work.factors[round]);
    cudaStreamSynchronize(work.download);
    // end of TODO 4

    work.store(round);
  }

  // TODO 5: leave no graph behind (about 1 line)
  // end of TODO 5
}
