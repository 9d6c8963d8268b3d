// Between streams nothing is in order unless an event makes it so.
#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

}  // namespace

TWIN(event_wait, "unordered_accesses") {
  stream producer, consumer;
  event ready;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  cudaEventRecord(ready, producer);
  if (is_correct) cudaStreamWaitEvent(consumer, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(record_after_the_producer, "unordered_accesses") {
  stream producer, consumer;
  event ready;
  device_buffer data, result;
  if (!is_correct) cudaEventRecord(ready, producer);
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  if (is_correct) cudaEventRecord(ready, producer);
  cudaStreamWaitEvent(consumer, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(record_before_the_wait, "unordered_accesses") {
  stream producer, consumer;
  event ready;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  if (is_correct) cudaEventRecord(ready, producer);
  cudaStreamWaitEvent(consumer, ready);
  if (!is_correct) cudaEventRecord(ready, producer);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(wait_in_the_stream_of_the_consumer, "unordered_accesses") {
  stream producer, consumer, bystander;
  event ready;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  cudaEventRecord(ready, producer);
  cudaStreamWaitEvent(is_correct ? consumer : bystander, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(record_in_the_stream_of_the_producer, "unordered_accesses") {
  stream producer, consumer, bystander;
  event ready;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  cudaEventRecord(ready, is_correct ? producer : bystander);
  cudaStreamWaitEvent(consumer, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(wait_before_the_consumer, "unordered_accesses") {
  stream producer, consumer;
  event ready;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  cudaEventRecord(ready, producer);
  if (is_correct) cudaStreamWaitEvent(consumer, ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
  if (!is_correct) cudaStreamWaitEvent(consumer, ready);
}

TWIN(wait_for_the_second_of_two_producers, "unordered_accesses") {
  stream left, right, consumer;
  event left_ready, right_ready;
  device_buffer data, result;
  fill<<<blocks / 2, threads, 0, left>>>(data, count / 2, 1);
  fill<<<blocks / 2, threads, 0, right>>>(data + count / 2, count / 2, 2);
  cudaEventRecord(left_ready, left);
  cudaEventRecord(right_ready, right);
  cudaStreamWaitEvent(consumer, left_ready);
  if (is_correct) cudaStreamWaitEvent(consumer, right_ready);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(first_link_of_a_chain_of_events, "unordered_accesses") {
  stream first, second, third;
  event first_done, second_done;
  device_buffer data, scratch, result;
  fill<<<blocks, threads, 0, first>>>(data, count, 1);
  cudaEventRecord(first_done, first);
  if (is_correct) cudaStreamWaitEvent(second, first_done);
  fill<<<blocks, threads, 0, second>>>(scratch, count, 2);
  cudaEventRecord(second_done, second);
  cudaStreamWaitEvent(third, second_done);
  add_one<<<blocks, threads, 0, third>>>(data, result, count);
}

TWIN(wait_before_a_buffer_is_filled_again, "unordered_accesses") {
  stream upload, compute;
  event arrived, consumed;
  pinned_buffer source;
  device_buffer slot, result;
  for (int round = 0; round < 3; ++round) {
    if (is_correct && round > 0) cudaStreamWaitEvent(upload, consumed);
    cudaMemcpyAsync(slot, source, bytes, cudaMemcpyHostToDevice, upload);
    cudaEventRecord(arrived, upload);
    cudaStreamWaitEvent(compute, arrived);
    add_one<<<blocks, threads, 0, compute>>>(slot, result, count);
    cudaEventRecord(consumed, compute);
  }
}

TWIN(order_of_two_writers, "unordered_accesses") {
  stream one, two;
  device_buffer data;
  cudaMemsetAsync(data, 0, bytes, one);
  cudaMemsetAsync(data, 1, bytes, is_correct ? one : two);
}

TWIN(wait_of_the_kernel_for_its_upload, "unordered_accesses") {
  stream upload, compute;
  event arrived;
  pinned_buffer source;
  device_buffer data, result;
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, upload);
  cudaEventRecord(arrived, upload);
  if (is_correct) cudaStreamWaitEvent(compute, arrived);
  add_one<<<blocks, threads, 0, compute>>>(data, result, count);
}

TWIN(wait_of_the_download_for_its_kernel, "unordered_accesses") {
  stream compute, download;
  event computed;
  pinned_buffer target;
  device_buffer data;
  fill<<<blocks, threads, 0, compute>>>(data, count, 1);
  cudaEventRecord(computed, compute);
  if (is_correct) cudaStreamWaitEvent(download, computed);
  cudaMemcpyAsync(target, data, bytes, cudaMemcpyDeviceToHost, download);
}

TWIN(order_of_a_copy_inside_the_device, "unordered_accesses") {
  stream one, two;
  device_buffer from, to;
  fill<<<blocks, threads, 0, one>>>(from, count, 1);
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, is_correct ? one : two);
}

TWIN(host_wait_between_two_streams, "unordered_accesses") {
  stream producer, consumer;
  device_buffer data, result;
  fill<<<blocks, threads, 0, producer>>>(data, count, 1);
  cudaStreamSynchronize(is_correct ? producer : consumer);
  add_one<<<blocks, threads, 0, consumer>>>(data, result, count);
}

TWIN(buffers_of_its_own_for_each_stream, "unordered_accesses") {
  constexpr int streams = 4;
  stream lanes[streams];
  pinned_buffer host(streams * count);
  device_buffer device(streams * count);
  for (int lane = 0; lane < streams; ++lane) {
    const int offset = is_correct ? lane * count : 0;
    cudaMemcpyAsync(device + offset, host + offset, bytes, cudaMemcpyHostToDevice, lanes[lane]);
    add_one<<<blocks, threads, 0, lanes[lane]>>>(device + offset, device + offset, count);
    cudaMemcpyAsync(host + offset, device + offset, bytes, cudaMemcpyDeviceToHost, lanes[lane]);
  }
  cudaDeviceSynchronize();
}

TWIN(wait_for_the_edge_of_the_neighbour, "unordered_accesses") {
  constexpr int half = count / 2;
  stream left, right;
  event uploaded;
  device_buffer data, result;
  pinned_buffer source;
  cudaMemcpyAsync(data, source, bytes / 2, cudaMemcpyHostToDevice, left);
  cudaMemcpyAsync(data + half, source + half, bytes / 2, cudaMemcpyHostToDevice, right);
  cudaEventRecord(uploaded, right);
  if (is_correct) cudaStreamWaitEvent(left, uploaded);
  add_one<<<blocks, threads, 0, left>>>(data, result, half + 1);
}
