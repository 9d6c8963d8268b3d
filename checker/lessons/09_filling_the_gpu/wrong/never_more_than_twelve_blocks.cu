// fails: NoPlaceStaysEmpty
// where: 26 cause: room_left_empty
// Twelve blocks are enough for the largest job on the teaching GPU, and on no larger one.
#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  // so many jobs of mean size fill the GPU; twice as many, because not all are of mean size.
  int tiles = 0;
  for (int index = 0; index < work.count; ++index) tiles += work.jobs[index].tiles;
  const int streams = 2 * work.places * work.count / tiles + 1;
  return streams < max_streams ? streams : max_streams;
}

void run_jobs(const job_list& work, int streams) {
  for (int index = 0; index < work.count; ++index) {
    const job& mine = work.jobs[index];
    const std::size_t bytes = static_cast<std::size_t>(mine.elements) * sizeof(float);

    // jobs of different streams may run side by side, and a block for each tile takes as many places
    // as the job can use. More blocks than tiles would find nothing to do.
    const cudaStream_t stream = work.streams[index % streams];
    const int blocks = mine.tiles < 12 ? mine.tiles : 12;

    // the stream keeps the rounds and the copy in order, and the host has nothing to wait for.
    for (int round = 0; round < work.rounds; ++round) {
      advance<<<blocks, threads_per_block, 0, stream>>>(mine.values, mine.first, mine.elements, mine.tiles,
                                                        work.cycles);
    }
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, stream);
  }

  // one wait for all streams, because the caller reads the outputs at once.
  cudaDeviceSynchronize();
}
