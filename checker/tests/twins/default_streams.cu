// The legacy default stream and blocking streams wait for each other; non-blocking streams stay out of that,
// and the per-thread default stream is one more blocking stream.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

unsigned flags_of(bool is_blocking) { return is_blocking ? cudaStreamDefault : cudaStreamNonBlocking; }

}  // namespace

TWIN(blocking_stream_before_the_legacy_stream, "unordered_accesses") {
  stream worker(flags_of(is_correct));
  device_buffer data, result;
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  add_one<<<blocks, threads>>>(data, result, count);
}

TWIN(blocking_stream_after_the_legacy_stream, "unordered_accesses") {
  stream worker(flags_of(is_correct));
  device_buffer data, result;
  fill<<<blocks, threads>>>(data, count, 1);
  add_one<<<blocks, threads, 0, worker>>>(data, result, count);
}

TWIN(legacy_barrier_between_two_streams, "unordered_accesses") {
  stream one(flags_of(is_correct)), two(flags_of(is_correct));
  device_buffer data, scratch, result;
  fill<<<blocks, threads, 0, one>>>(data, count, 1);
  fill<<<blocks, threads>>>(scratch, count, 1);
  add_one<<<blocks, threads, 0, two>>>(data, result, count);
}

TWIN(legacy_event_record_as_a_barrier, "unordered_accesses") {
  stream one(flags_of(is_correct)), two(cudaStreamNonBlocking);
  event all_done;
  device_buffer data, result;
  fill<<<blocks, threads, 0, one>>>(data, count, 1);
  cudaEventRecord(all_done, 0);
  cudaStreamWaitEvent(two, all_done);
  add_one<<<blocks, threads, 0, two>>>(data, result, count);
}

TWIN(order_of_the_per_thread_stream_with_a_created_one, "unordered_accesses") {
  stream created;
  device_buffer data, result;
  fill<<<blocks, threads, 0, cudaStreamPerThread>>>(data, count, 1);
  add_one<<<blocks, threads, 0, is_correct ? cudaStreamLegacy : created>>>(data, result, count);
}

TWIN(synchronous_copy_after_a_blocking_stream, "unordered_accesses") {
  stream worker(flags_of(is_correct));
  device_buffer data;
  std::vector<int> target(count);
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaMemcpy(target.data(), data, bytes, cudaMemcpyDeviceToHost);
}

TWIN(wait_for_a_memset_of_the_legacy_stream, "unordered_accesses") {
  stream worker(cudaStreamNonBlocking);
  device_buffer data, result;
  cudaMemset(data, 0, bytes);
  if (is_correct) cudaDeviceSynchronize();
  add_one<<<blocks, threads, 0, worker>>>(data, result, count);
}

TWIN(wait_for_a_copy_inside_the_device, "unordered_accesses") {
  stream worker(cudaStreamNonBlocking);
  device_buffer from, to, result;
  cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
  if (is_correct) cudaStreamSynchronize(0);
  add_one<<<blocks, threads, 0, worker>>>(to, result, count);
}
