// fails: WorkIsOrdered
// where: 27 cause: unfinished_at_return
// Waits for as many streams as it would have chosen, where the caller asks for more.
#include <algorithm>

#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  int tiles = 0;
  for (int i = 0; i < work.count; ++i) tiles += work.jobs[i].tiles;
  const int average = std::max(1, tiles / work.count);
  return std::clamp((work.places + average - 1) / average, 1, max_streams);
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
  for (int s = 0; s < streams_for(work); ++s) cudaStreamSynchronize(work.streams[s]);
}
