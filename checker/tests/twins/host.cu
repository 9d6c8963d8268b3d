// The host has to wait for what it reads, and before it overwrites what a copy still has to read.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;
constexpr unsigned last_of_round = 17;

__global__ void count_rounds(unsigned* counter) {
  for (int i = 0; i < 10; ++i) atomicInc_system(counter, last_of_round);
}

}  // namespace

TWIN(wait_before_the_result_is_read, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  sink = result[count - 1];
}

TWIN(wait_before_the_result_goes_to_a_file, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  std::FILE* const file = std::fopen("/dev/null", "wb");
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  std::fwrite(result, 1, bytes, file);
  std::fclose(file);
}

TWIN(wait_before_a_file_is_read_into_the_source, "source_overwritten") {
  stream worker;
  device_buffer data;
  pinned_buffer source;
  const int file = open("/dev/zero", O_RDONLY);
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  if (read(file, source, bytes) != bytes) std::abort();
  close(file);
}

TWIN(wait_for_the_stream_of_the_result, "result_read_early") {
  stream worker, bystander;
  device_buffer data;
  pinned_buffer result;
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  cudaStreamSynchronize(is_correct ? worker : bystander);
  sink = result[0];
}

TWIN(wait_for_both_streams, "result_read_early") {
  stream left, right;
  device_buffer data;
  pinned_buffer result;
  cudaMemcpyAsync(result, data, bytes / 2, cudaMemcpyDeviceToHost, left);
  cudaMemcpyAsync(result + count / 2, data + count / 2, bytes / 2, cudaMemcpyDeviceToHost, right);
  cudaStreamSynchronize(left);
  if (is_correct) cudaStreamSynchronize(right);
  for (int i = 0; i < count; ++i) sink = result[i];
}

TWIN(answer_of_a_query, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) {
    while (cudaStreamQuery(worker) == cudaErrorNotReady) {
    }
  } else {
    cudaStreamQuery(worker);
  }
  sink = result[0];
}

TWIN(answer_of_an_event_query, "result_read_early") {
  stream worker;
  event done;
  device_buffer data;
  pinned_buffer result;
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  cudaEventRecord(done, worker);
  if (is_correct) {
    while (cudaEventQuery(done) == cudaErrorNotReady) {
    }
  } else {
    cudaEventQuery(done);
  }
  sink = result[0];
}

TWIN(wait_before_the_source_is_overwritten, "source_overwritten") {
  stream worker;
  device_buffer data;
  pinned_buffer source;
  for (int i = 0; i < count; ++i) source[i] = i;
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  source[count - 1] = 0;
}

TWIN(synchronous_copy_of_a_pageable_source, "source_overwritten") {
  stream worker;
  device_buffer data;
  std::vector<int> source(count, 1);
  if (is_correct) {
    cudaMemcpy(data, source.data(), bytes, cudaMemcpyHostToDevice);
  } else {
    cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyHostToDevice, worker);
  }
  source[count - 1] = 0;
  cudaDeviceSynchronize();
}

TWIN(wait_for_a_pageable_result, "result_read_early") {
  stream worker;
  device_buffer data;
  std::vector<int> result(count);
  cudaMemcpyAsync(result.data(), data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  sink = result[count - 1];
  cudaDeviceSynchronize();
}

TWIN(wait_instead_of_a_call_that_happens_to_block, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  int* other = nullptr;
  cudaMalloc(&other, bytes);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) cudaDeviceSynchronize();
  cudaFree(other);
  sink = result[0];
}

TWIN(wait_for_a_kernel_that_writes_pinned_memory, "result_read_early") {
  stream worker;
  pinned_buffer result;
  fill<<<blocks, threads, 0, worker>>>(result, count, 1);
  if (is_correct) cudaStreamSynchronize(worker);
  sink = result[0];
}

TWIN(wait_before_a_kernels_input_is_changed, "unordered_accesses") {
  stream worker;
  pinned_buffer input;
  device_buffer result;
  for (int i = 0; i < count; ++i) input[i] = i;
  add_one<<<blocks, threads, 0, worker>>>(input, result, count);
  if (is_correct) cudaStreamSynchronize(worker);
  input[7] = 0;
}

TWIN(memset_that_waits, "result_read_early") {
  stream worker;
  pinned_buffer data;
  if (is_correct) {
    cudaMemset(data, 0, bytes);
  } else {
    cudaMemsetAsync(data, 0, bytes, worker);
  }
  sink = data[0];
}

TWIN(memset_of_managed_memory_that_waits, "unordered_accesses") {
  stream worker(cudaStreamNonBlocking);
  int* data = nullptr;
  cudaMallocManaged(&data, bytes);
  if (is_correct) {
    cudaMemset(data, 0, bytes);
  } else {
    cudaMemsetAsync(data, 0, bytes);
  }
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaDeviceSynchronize();
  cudaFree(data);
}

TWIN(wait_for_the_stream_by_a_synchronous_upload, "result_read_early") {
  device_buffer data, input;
  pinned_buffer result;
  std::vector<int> source(count, 1);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, 0);
  if (is_correct) {
    cudaMemcpy(input, source.data(), bytes, cudaMemcpyHostToDevice);
  } else {
    cudaMemcpyAsync(input, source.data(), bytes, cudaMemcpyHostToDevice, 0);
  }
  sink = result[0];
  cudaDeviceSynchronize();
}

TWIN(wait_for_managed_memory, "result_read_early") {
  stream worker;
  int* data = nullptr;
  cudaMallocManaged(&data, bytes);
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  if (is_correct) cudaStreamSynchronize(worker);
  sink = data[0];
  cudaDeviceSynchronize();
  cudaFree(data);
}

TWIN(read_that_is_part_of_an_update, "result_read_early") {
  unsigned* counter = nullptr;
  cudaMallocManaged(&counter, sizeof *counter);
  *counter = 0;
  count_rounds<<<2, 32>>>(counter);
  for (int i = 0; i < 20; ++i) {
    unsigned expected, next;
    do {
      expected = *counter;
      next = expected >= last_of_round ? 0 : expected + 1;
    } while (is_correct && __sync_val_compare_and_swap(counter, expected, next) != expected);
    sink = static_cast<int>(next);
  }
  cudaDeviceSynchronize();
  cudaFree(counter);
}
