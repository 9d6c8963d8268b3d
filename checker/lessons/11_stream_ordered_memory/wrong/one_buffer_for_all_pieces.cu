// fails: MemoryIsUsedWhileItLives also: EveryPieceIsRight
// where: 18 cause: buffer_reused
// The memory of the largest piece, for all of them.
#include "stream_ordered_memory.h"

#include <algorithm>

void prepare_pool(cudaMemPool_t pool) {
  std::uint64_t threshold = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
}

void process_round(const piece_round& work) {
  const int largest = *std::max_element(work.elements, work.elements + work.pieces);
  float* between = nullptr;
  cudaMallocAsync(&between, static_cast<std::size_t>(largest) * sizeof(float), work.producer);
  for (int piece = 0; piece < work.pieces; ++piece) {
    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);

    cudaEventRecord(work.event, work.producer);
    cudaStreamWaitEvent(work.consumer, work.event, 0);

    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);
  }
  cudaFreeAsync(between, work.consumer);
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
