// Lesson 11: stream-ordered memory. README.md explains the idea, stream_ordered_memory.h says what you are given.
#include "stream_ordered_memory.h"

void prepare_pool(cudaMemPool_t pool) {
  // TODO 1: no synchronization may take memory away from the pool (about 2 lines)
  (void)pool;
  // end of TODO 1
}

void process_round(const piece_round& work) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    const std::size_t bytes = static_cast<std::size_t>(work.elements[piece]) * sizeof(float);
    float* between = nullptr;

    // TODO 2: memory from the pool, in the order of the stream that writes to it (1 line)
    cudaMalloc(&between, bytes);
    // end of TODO 2

    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);

    // TODO 3: `consume` waits for `produce`, and the host for neither (about 2 lines)
    cudaStreamSynchronize(work.producer);
    // end of TODO 3

    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);

    // TODO 4: the memory ends behind its last use, and nothing else waits for that (1 line)
    cudaFree(between);
    // end of TODO 4
  }
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
