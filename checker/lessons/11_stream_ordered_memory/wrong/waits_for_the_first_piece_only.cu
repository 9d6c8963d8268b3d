// fails: MemoryIsUsedWhileItLives also: EveryPieceIsRight
// where: 24 cause: never_recorded
// The wait is made once, for the record of the first piece.
#include "stream_ordered_memory.h"

void prepare_pool(cudaMemPool_t pool) {
  std::uint64_t keep = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
}

void process_round(const piece_round& work) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    const std::size_t bytes = static_cast<std::size_t>(work.elements[piece]) * sizeof(float);
    float* between = nullptr;

    cudaMallocAsync(&between, bytes, work.producer);

    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);

    cudaEventRecord(work.event, work.producer);

    // from then on the consumer is one piece behind
    if (piece == 0) cudaStreamWaitEvent(work.consumer, work.event, 0);

    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);

    cudaFreeAsync(between, work.consumer);
  }
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
