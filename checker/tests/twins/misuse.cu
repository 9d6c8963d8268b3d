// Mistakes with CUDA's objects, its memory and its errors.
#include <cstdlib>
#include <memory>
#include <utility>

#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

cudaStream_t new_stream() {
  cudaStream_t made;
  cudaStreamCreate(&made);
  return made;
}

cudaEvent_t new_event() {
  cudaEvent_t made;
  cudaEventCreate(&made);
  return made;
}

}  // namespace

TWIN(wait_before_device_memory_is_freed, "freed_while_in_use") {
  stream worker;
  int* data = nullptr;
  cudaMalloc(&data, bytes);
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  if (is_correct) cudaStreamSynchronize(worker);
  cudaFree(data);
}

TWIN(wait_before_pinned_memory_is_freed, "freed_while_in_use") {
  stream worker;
  device_buffer data;
  int* source = nullptr;
  cudaMallocHost(&source, bytes);
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, worker);
  if (is_correct) cudaDeviceSynchronize();
  cudaFreeHost(source);
}

TWIN(wait_before_memory_is_unregistered, "freed_while_in_use") {
  stream worker;
  device_buffer data;
  std::vector<int> source(count);
  cudaHostRegister(source.data(), bytes, cudaHostRegisterDefault);
  cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyHostToDevice, worker);
  if (is_correct) cudaStreamSynchronize(worker);
  cudaHostUnregister(source.data());
}

TWIN(registered_memory_is_freed_last, "freed_while_registered") {
  stream worker;
  device_buffer data;
  void* const source = std::aligned_alloc(4096, bytes);
  cudaHostRegister(source, bytes, cudaHostRegisterDefault);
  cudaMemcpyAsync(data, source, bytes, cudaMemcpyHostToDevice, worker);
  cudaStreamSynchronize(worker);
  if (is_correct) cudaHostUnregister(source);
  std::free(source);
  if (!is_correct) cudaHostUnregister(source);
}

TWIN(registered_vector_is_destroyed_last, "freed_while_registered") {
  auto source = std::make_unique<std::vector<int>>(count);
  int* const data = source->data();
  cudaHostRegister(data, bytes, cudaHostRegisterDefault);
  if (is_correct) cudaHostUnregister(data);
  source.reset();
  if (!is_correct) cudaHostUnregister(data);
}

TWIN(registration_ends_with_its_memory, "freed_while_registered") {
  void* lower = std::aligned_alloc(4096, bytes);
  void* upper = std::aligned_alloc(4096, bytes);
  if (upper < lower) std::swap(lower, upper);
  const auto distance = static_cast<std::size_t>(static_cast<char*>(upper) - static_cast<char*>(lower));
  cudaHostRegister(lower, is_correct ? bytes : distance + bytes, cudaHostRegisterDefault);
  std::free(upper);
  cudaHostUnregister(lower);
  std::free(lower);
}

TWIN(kind_of_a_copy_that_is_its_direction, "wrong_copy_kind") {
  device_buffer data;
  pinned_buffer source;
  cudaMemcpy(data, source, bytes, is_correct ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

TWIN(object_that_holds_the_attribute, "object_too_small") {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cuuint64_t bytes_to_keep = 1 << 20;
  int too_small = 1 << 20;
  if (is_correct) {
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes_to_keep);
  } else {
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &too_small);
    cudaDeviceSynchronize();  // otherwise clang++ makes one call of the two, which has no line
  }
}

TWIN(live_stream, "used_after_destruction") {
  device_buffer data;
  const cudaStream_t worker = new_stream();
  if (!is_correct) cudaStreamDestroy(worker);
  cudaMemsetAsync(data, 0, bytes, worker);
  if (is_correct) cudaStreamDestroy(worker);
}

TWIN(live_stream_for_a_launch, "used_after_destruction") {
  device_buffer data;
  const cudaStream_t worker = new_stream();
  if (!is_correct) cudaStreamDestroy(worker);
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  if (is_correct) cudaStreamDestroy(worker);
}

TWIN(live_event, "used_after_destruction") {
  stream worker;
  const cudaEvent_t done = new_event();
  if (!is_correct) cudaEventDestroy(done);
  cudaEventRecord(done, worker);
  if (is_correct) cudaEventDestroy(done);
}

TWIN(record_of_an_event_that_a_stream_waits_for, "unrecorded_event") {
  stream producer, consumer;
  event ready;
  if (is_correct) cudaEventRecord(ready, producer);
  cudaStreamWaitEvent(consumer, ready);
}

TWIN(record_of_an_event_that_the_host_waits_for, "unrecorded_event") {
  stream worker;
  event done;
  if (is_correct) cudaEventRecord(done, worker);
  cudaEventSynchronize(done);
}

TWIN(record_of_an_event_that_is_timed, "no_time_between_events") {
  stream worker;
  event begin, end;
  float milliseconds = 0;
  if (is_correct) cudaEventRecord(begin, worker);
  cudaEventRecord(end, worker);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
}

TWIN(wait_for_an_event_that_is_timed, "no_time_between_events") {
  stream worker;
  event begin, end;
  device_buffer data;
  float milliseconds = 0;
  cudaEventRecord(begin, worker);
  fill<<<blocks, threads, 0, worker>>>(data, count, 1);
  cudaEventRecord(end, worker);
  if (is_correct) cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
}

TWIN(question_after_a_failed_launch, "unchecked_error") {
  device_buffer data;
  fill<<<blocks, 4096>>>(data, count, 1);
  if (is_correct) cudaGetLastError();
  cudaDeviceSynchronize();
}

TWIN(question_after_a_failed_copy, "unchecked_error") {
  device_buffer data;
  std::vector<int> source(2 * count);
  cudaMemcpy(data, source.data(), is_correct ? bytes : 2 * bytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

TWIN(release_of_memory_once, "failed_release") {
  int* data = nullptr;
  cudaMalloc(&data, bytes);
  cudaFree(data);
  if (!is_correct) cudaFree(data);
}

TWIN(destruction_of_a_stream, "stream_leak") {
  const cudaStream_t worker = new_stream();
  if (is_correct) cudaStreamDestroy(worker);
}

TWIN(destruction_of_an_event, "event_leak") {
  const cudaEvent_t done = new_event();
  if (is_correct) cudaEventDestroy(done);
}

TWIN(destruction_of_a_graph, "graph_leak") {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  if (is_correct) cudaGraphDestroy(graph);
}

TWIN(destruction_of_an_executable_graph, "graph_leak") {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  if (is_correct) cudaGraphExecDestroy(executable);
}

TWIN(release_of_device_memory, "memory_leak") {
  int* data = nullptr;
  cudaMalloc(&data, bytes);
  if (is_correct) cudaFree(data);
}

TWIN(release_of_pinned_memory, "memory_leak") {
  int* data = nullptr;
  cudaMallocHost(&data, bytes);
  if (is_correct) cudaFreeHost(data);
}

TWIN(device_memory_for_a_kernel, "kernel_used_host_memory") {
  std::vector<int> host(count);
  device_buffer device;
  fill<<<blocks, threads>>>(is_correct ? device : host.data(), count, 1);
  cudaDeviceSynchronize();
}

TWIN(room_for_what_a_kernel_writes, "out_of_bounds") {
  device_buffer data;
  fill<<<blocks + 64, threads>>>(data, is_correct ? count : count + 16 * 1024, 1);
  cudaDeviceSynchronize();
}

TWIN(live_memory_for_a_kernel, "use_after_free") {
  int* data = nullptr;
  cudaMalloc(&data, bytes);
  if (!is_correct) cudaFree(data);
  fill<<<blocks, threads>>>(data, count, 1);
  cudaDeviceSynchronize();
  if (is_correct) cudaFree(data);
}

TWIN(launch_of_a_kernel, "kernel_not_launched") {
  device_buffer data;
  if (is_correct) {
    fill<<<blocks, threads>>>(data, count, 1);
  } else {
    fill(data, count, 1);
  }
  cudaDeviceSynchronize();
}
