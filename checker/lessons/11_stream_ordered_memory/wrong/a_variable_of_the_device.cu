// fails: MemoryIsUsedWhileItLives
// where: 21 cause: wrong_argument
// A __device__ array takes the place of memory from the pool.
#include "stream_ordered_memory.h"

static __device__ float room[1 << 20];

void prepare_pool(cudaMemPool_t pool) {
  std::uint64_t threshold = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
}

void process_round(const piece_round& work) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    const std::size_t bytes = static_cast<std::size_t>(work.elements[piece]) * sizeof(float);
    (void)bytes;
    float* base = nullptr;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&base), room);
    float* between = base + work.first[piece];

    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);

    cudaEventRecord(work.event, work.producer);
    cudaStreamWaitEvent(work.consumer, work.event, 0);

    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);

  }
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
