// fails: KernelsRunSideBySide
// where: 13 cause: wrong_argument
// Small jobs need more streams than there are, and the number is not limited.
#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  int tiles = 0;
  for (int index = 0; index < work.count; ++index) tiles += work.jobs[index].tiles;
  const int average = tiles / work.count > 0 ? tiles / work.count : 1;
  int streams = 2 * (work.places + average - 1) / average;

  if (streams < 1) streams = 1;
  return streams;
}

void run_jobs(const job_list& work, int streams) {
  for (int index = 0; index < work.count; ++index) {
    const job& mine = work.jobs[index];
    const std::size_t bytes = static_cast<std::size_t>(mine.elements) * sizeof(float);

    const cudaStream_t stream = work.streams[index % streams];
    const int blocks = mine.tiles;

    for (int round = 0; round < work.rounds; ++round) {
      advance<<<blocks, threads_per_block, 0, stream>>>(mine.values, mine.first, mine.elements, mine.tiles,
                                                        work.cycles);
    }
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, stream);
  }

  cudaDeviceSynchronize();
}
