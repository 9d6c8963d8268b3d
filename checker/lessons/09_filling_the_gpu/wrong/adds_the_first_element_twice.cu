// fails: EveryElementIsRight also: WorkIsOrdered, HostQueuesAllWorkBeforeWaiting
// where: 26 cause: failed_call
// The pointer is moved by the number of the first element of all jobs, and once more in the copy.
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

    const cudaStream_t stream = work.streams[index % streams];
    const int blocks = mine.tiles;

    const float* const values = mine.values + mine.first;
    for (int round = 0; round < work.rounds; ++round) {
      advance<<<blocks, threads_per_block, 0, stream>>>(mine.values, mine.first, mine.elements, mine.tiles,
                                                        work.cycles);
    }
    cudaMemcpyAsync(mine.output, values + mine.first, bytes, cudaMemcpyDeviceToHost, stream);
  }

  cudaDeviceSynchronize();
}
