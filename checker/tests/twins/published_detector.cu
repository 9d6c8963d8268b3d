// Four situations in which a published detector of CUDA races (CuSan) is known to answer wrongly: a race that
// it misses, and three orders that it does not see.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

}  // namespace

TWIN(record_after_the_last_kernel_for_an_event_wait_of_the_host, "result_read_early") {
  stream worker;
  event done;
  pinned_buffer first, second;
  fill<<<blocks, threads, 0, worker>>>(first, count, 1);
  if (!is_correct) cudaEventRecord(done, worker);
  fill<<<blocks, threads, 0, worker>>>(second, count, 2);
  if (is_correct) cudaEventRecord(done, worker);
  cudaEventSynchronize(done);
  sink = first[0];
  sink = second[0];
}

TWIN(blocking_stream_for_an_event_of_the_legacy_stream, "result_read_early") {
  stream worker(is_correct ? cudaStreamDefault : cudaStreamNonBlocking);
  event stop;
  pinned_buffer result;
  fill<<<blocks, threads, 0, worker>>>(result, count, 1);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  sink = result[0];
}

TWIN(wait_after_the_event_was_recorded_again, "unordered_accesses") {
  stream one, two, consumer;
  event ready;
  device_buffer data, result;
  cudaEventRecord(ready, one);
  fill<<<blocks, threads, 0, two>>>(data, count, 1);
  if (!is_correct) cudaStreamWaitEvent(consumer, ready);
  cudaEventRecord(ready, two);
  if (is_correct) cudaStreamWaitEvent(consumer, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(chunks_behind_interior_pointers, "unordered_accesses") {
  constexpr int lanes = 4, chunk = count / lanes;
  stream lane_streams[lanes];
  device_buffer data;
  for (int lane = 0; lane < lanes; ++lane) {
    int* const begin = data + lane * chunk;
    fill<<<chunk / threads, threads, 0, lane_streams[lane]>>>(begin, chunk, lane);
    if (!is_correct && lane > 0)
      add_one<<<chunk / threads, threads, 0, lane_streams[lane]>>>(begin - 1, begin, chunk);
  }
}
