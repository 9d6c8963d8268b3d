// fails: KernelsRunSideBySide
// where: 20 cause: plan_not_followed
// Where the caller asks for fewer streams than streams_for() chooses, those of its own choice take turns.
#include <algorithm>

#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  int tiles = 0;
  for (int index = 0; index < work.count; ++index) tiles += work.jobs[index].tiles;
  const int streams = 2 * work.places * work.count / tiles + 1;
  return streams < max_streams ? streams : max_streams;
}

void run_jobs(const job_list& work, int streams) {
  for (int index = 0; index < work.count; ++index) {
    const job& mine = work.jobs[index];
    const std::size_t bytes = static_cast<std::size_t>(mine.elements) * sizeof(float);

    const cudaStream_t stream = work.streams[index % std::max(streams, streams_for(work))];
    const int blocks = mine.tiles;

    for (int round = 0; round < work.rounds; ++round) {
      advance<<<blocks, threads_per_block, 0, stream>>>(mine.values, mine.first, mine.elements, mine.tiles,
                                                        work.cycles);
    }
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, stream);
  }

  cudaDeviceSynchronize();
}
