// fails: EveryElementIsRight
// where: 18 cause: copied_in_vain
// The copy back is inside the loop over the rounds.
#include "filling_the_gpu.h"
#include <algorithm>
int streams_for(const job_list& work) {
  int tiles = 0;
  for (int i = 0; i < work.count; ++i) tiles += work.jobs[i].tiles;
  return std::min(max_streams, 2 * work.places * work.count / tiles + 1);
}
void run_jobs(const job_list& work, int streams) {
  for (int i = 0; i < work.count; ++i) {
    const job& j = work.jobs[i];
    const std::size_t bytes = static_cast<std::size_t>(j.elements) * sizeof(float);
    for (int r = 0; r < work.rounds; ++r) {
      advance<<<j.tiles, threads_per_block, 0, work.streams[i % streams]>>>(j.values, j.first, j.elements, j.tiles,
                                                                            work.cycles);
      cudaMemcpyAsync(j.output, j.values, bytes, cudaMemcpyDeviceToHost, work.streams[i % streams]);
    }
  }
  cudaDeviceSynchronize();
}
