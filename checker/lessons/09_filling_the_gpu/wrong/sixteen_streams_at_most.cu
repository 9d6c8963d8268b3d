// fails: KernelsRunSideBySide
// where: 18 cause: plan_not_followed
// More streams than sixteen are not used, whatever the caller asks for.
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

    const cudaStream_t stream = work.streams[index % (streams < 16 ? streams : 16)];
    const int blocks = mine.tiles;

    for (int round = 0; round < work.rounds; ++round) {
      advance<<<blocks, threads_per_block, 0, stream>>>(mine.values, mine.first, mine.elements, mine.tiles,
                                                        work.cycles);
    }
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, stream);
  }

  for (int i = 0; i < streams; ++i) cudaStreamSynchronize(work.streams[i]);
}
