// fails: KernelsRunSideBySide
// where: 8 cause: wrong_argument
// Takes all jobs for as large as the first one.
#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  const int streams = work.places / work.jobs[0].tiles + 1;
  return streams < max_streams ? streams : max_streams;
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
