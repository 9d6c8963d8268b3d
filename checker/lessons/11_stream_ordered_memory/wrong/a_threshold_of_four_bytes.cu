// fails: EveryPieceIsRight also: PoolKeepsItsMemory
// where: 9 cause: object_too_small
// on a GPU: EveryPieceIsRight
// The attribute has 8 bytes: whatever lies beside the variable becomes a part of it. A GPU does not know the variable.
#include "stream_ordered_memory.h"

void prepare_pool(cudaMemPool_t pool) {
  int threshold = -1;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
}

void process_round(const piece_round& work) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    const std::size_t bytes = static_cast<std::size_t>(work.elements[piece]) * sizeof(float);
    float* between = nullptr;
    cudaMallocAsync(&between, bytes, work.producer);
    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);
    cudaEventRecord(work.event, work.producer);
    cudaStreamWaitEvent(work.consumer, work.event, 0);
    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);
    cudaFreeAsync(between, work.consumer);
  }
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
