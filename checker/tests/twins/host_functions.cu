// A host function runs at its place in the stream, on a thread of the driver, and must not call CUDA.
#include <atomic>
#include <thread>

#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

struct note {
  std::atomic<bool> is_done{false};
  int* data = nullptr;
  int* target = nullptr;
};

void announce(void* argument) { static_cast<note*>(argument)->is_done.store(true); }
void read_first(void* argument) { sink = static_cast<note*>(argument)->data[0]; }
void set_memory(void* argument) { cudaMemset(static_cast<note*>(argument)->target, 0, sizeof(int)); }
void read_number(void* argument) { sink = *static_cast<int*>(argument); }
void write_zero(void* argument) { static_cast<note*>(argument)->data[0] = 0; }

/// Gives a host function a variable of its own, and returns before the function has run, or after.
__attribute__((noinline)) void let_announce(cudaStream_t target, bool waits) {
  note own;
  cudaLaunchHostFunc(target, announce, &own);
  if (waits) cudaStreamSynchronize(target);
}

}  // namespace

TWIN(wait_in_the_function_whose_variable_is_lent, "argument_of_host_function_gone") {
  stream worker;
  let_announce(worker, is_correct);
  cudaStreamSynchronize(worker);
}

TWIN(number_of_its_own_for_each_function, "unordered_accesses") {
  stream worker;
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; ++i) cudaLaunchHostFunc(worker, read_number, is_correct ? &numbers[i] : &i);
  cudaStreamSynchronize(worker);
}

TWIN(announcement_after_the_copy, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  note done;
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  if (!is_correct) cudaLaunchHostFunc(worker, announce, &done);
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  if (is_correct) cudaLaunchHostFunc(worker, announce, &done);
  while (!done.is_done.load()) std::this_thread::yield();
  sink = result[0];
  cudaDeviceSynchronize();
}

TWIN(host_function_in_the_stream_of_the_copy, "unordered_accesses") {
  stream worker, other;
  device_buffer data;
  pinned_buffer result;
  note shared;
  shared.data = result;
  cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
  cudaLaunchHostFunc(is_correct ? worker : other, read_first, &shared);
  cudaDeviceSynchronize();
}

TWIN(copy_after_the_host_function_that_fills_its_source, "unordered_accesses") {
  stream worker, other;
  device_buffer data;
  pinned_buffer source;
  note shared;
  shared.data = source;
  cudaLaunchHostFunc(worker, write_zero, &shared);
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, is_correct ? worker : other);
  cudaDeviceSynchronize();
}

TWIN(hand_over_to_a_thread_that_may_call_cuda, "cuda_call_in_host_function") {
  stream worker;
  device_buffer data;
  note shared;
  shared.target = data;
  if (is_correct) {
    std::thread helper([&] {
      while (!shared.is_done.load()) std::this_thread::yield();
      cudaMemset(shared.target, 0, sizeof(int));
    });
    cudaLaunchHostFunc(worker, announce, &shared);
    helper.join();
  } else {
    cudaLaunchHostFunc(worker, set_memory, &shared);
  }
  cudaDeviceSynchronize();
}
