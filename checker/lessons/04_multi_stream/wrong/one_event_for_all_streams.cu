// fails: WorkIsOrdered also: EveryElementIsRight
// where: 42 cause: unfinished_at_return
// One event is recorded in every stream, and the wait for it is one for the last of them.
#include "multi_stream.h"

plan make_plan(int device) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  return {properties.asyncEngineCount, 8, 4,
          properties.asyncEngineCount == 1 ? issue_order::breadth_first : issue_order::depth_first};
}

static chunk chunk_at(const vectors& work, const plan& chosen, int index) {
  const int length = work.elements / chosen.chunks + 1;
  const int first = index * length;
  const int rest = work.elements - first;
  return {first, rest < length ? rest : length};
}

static void copy_inputs(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpyAsync(work.device_left + part.first, work.left + part.first, bytes, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(work.device_right + part.first, work.right + part.first, bytes, cudaMemcpyHostToDevice, stream);
}

static void add_chunk(const vectors& work, const chunk& part, cudaStream_t stream) {
  add<<<blocks, threads_per_block, 0, stream>>>(work.device_left + part.first, work.device_right + part.first,
                                                work.device_sum + part.first, part.first, part.elements,
                                                work.cycles);
}

static void copy_sum(const vectors& work, const chunk& part, cudaStream_t stream) {
  const std::size_t bytes = part.elements * sizeof(float);
  cudaMemcpyAsync(work.sum + part.first, work.device_sum + part.first, bytes, cudaMemcpyDeviceToHost, stream);
}

// Returns when the first `count` streams have done what they were given.
static void wait_for(const cudaStream_t* streams, int count) {
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  for (int s = 0; s < count; ++s) cudaEventRecord(done, streams[s]);
  cudaEventSynchronize(done);
  cudaEventDestroy(done);
}

void add_in_chunks(const vectors& work, const plan& chosen) {
  const bool by_chunk = chosen.order == issue_order::depth_first;
  const int rounds = by_chunk ? 1 : 3;
  for (int round = 0; round < rounds; ++round) {
    for (int index = 0; index < chosen.chunks; ++index) {
      const chunk part = chunk_at(work, chosen, index);
      const cudaStream_t stream = work.streams[index % chosen.streams];
      if (by_chunk || round == 0) copy_inputs(work, part, stream);
      if (by_chunk || round == 1) add_chunk(work, part, stream);
      if (by_chunk || round == 2) copy_sum(work, part, stream);
    }
  }
  wait_for(work.streams, chosen.streams);
}
