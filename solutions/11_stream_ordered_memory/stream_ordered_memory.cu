// Lesson 11: stream-ordered memory. README.md explains the idea, stream_ordered_memory.h says what you are given.
#include "stream_ordered_memory.h"

void prepare_pool(cudaMemPool_t pool) {
  // TODO 1, done: with the usual threshold, 0, each synchronization gives back to the device what nobody uses.
  std::uint64_t threshold = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  // end of TODO 1
}

void process_round(const piece_round& work) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    const std::size_t bytes = static_cast<std::size_t>(work.elements[piece]) * sizeof(float);
    float* between = nullptr;

    // TODO 2, done: the address is there at once, the memory for what comes after this in the stream of `produce`.
    cudaMallocAsync(&between, bytes, work.producer);
    // end of TODO 2

    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);

    // TODO 3, done: the event stands for `produce`, and for the allocation before it.
    cudaEventRecord(work.event, work.producer);
    cudaStreamWaitEvent(work.consumer, work.event, 0);
    // end of TODO 3

    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);

    // TODO 4, done: freed in the stream of its last use. In the other stream it would end before `consume` is done.
    cudaFreeAsync(between, work.consumer);
    // end of TODO 4
  }
  const std::size_t bytes = static_cast<std::size_t>(work.total) * sizeof(float);
  cudaMemcpyAsync(work.results, work.output, bytes, cudaMemcpyDeviceToHost, work.consumer);
  cudaStreamSynchronize(work.consumer);
}
