// fails: KernelsRunSideBySide
// where: 21 cause: plan_not_followed
// The number that the caller asks for is replaced by the one that streams_for() would choose.
#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  int tiles = 0;
  for (int index = 0; index < work.count; ++index) tiles += work.jobs[index].tiles;
  const int streams = 2 * work.places * work.count / tiles + 1;
  return streams < max_streams ? streams : max_streams;
}

void run_jobs(const job_list& work, int streams) {
  const int useful = streams_for(work);
  if (streams != useful) streams = useful;

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
