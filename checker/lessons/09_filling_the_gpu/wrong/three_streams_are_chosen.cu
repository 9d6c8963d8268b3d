// fails: NoPlaceStaysEmpty also: KernelsRunSideBySide
// where: 7 cause: room_left_empty
// Three jobs of mean size do not fill the GPU.
#include "filling_the_gpu.h"

int streams_for(const job_list& work) {
  return 3;
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
