// Feeds add_up() of lesson 02 from a request and hands back what it left in the result.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/message.h"
#include "pinned_memory.h"
#include "workload.h"

namespace {

constexpr std::size_t page = 4096;

std::chrono::nanoseconds host_task_length{0};
const float* chunks_begin = nullptr;
std::size_t chunk_elements = 0;

void host_task() { host_work(host_task_length); }

void read_chunk(int chunk, float* landing) {
  std::memcpy(landing, chunks_begin + static_cast<std::size_t>(chunk) * chunk_elements,
              chunk_elements * sizeof(float));
}

/// Milliseconds that the copy of one chunk from pinned memory takes: the median of three.
float milliseconds_of_copy(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  float* pinned;
  cudaMallocHost(&pinned, bytes);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float measured[3] = {};
  for (float& each : measured) {
    cudaEventRecord(begin, data.stream);
    cudaMemcpyAsync(data.device_chunk, pinned, bytes, cudaMemcpyHostToDevice, data.stream);
    cudaEventRecord(end, data.stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&each, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFreeHost(pinned);
  std::sort(measured, measured + 3);
  return measured[1];
}

/// The length of the host task relative to the copy of one chunk, as measured on this device. The calibration
/// of the plain run, when the request brings it, holds under every other schedule.
double host_task_nanoseconds(const exercise::message& request, const chunked_data& data) {
  const double host_task_to_copy = request.number("host_task_to_copy");
  if (request.has("calibrated.host_task_nanoseconds")) {
    return request.number("calibrated.host_task_nanoseconds");
  }
  exercise::begin_part("calibration");
  const double nanoseconds = milliseconds_of_copy(data) * host_task_to_copy * 1e6;
  exercise::end_part("calibration");
  return nanoseconds;
}

/// The first launch of a kernel loads its code, and each file that includes pinned_memory.h has a kernel of
/// its own. A call with one chunk gets that over with, so that the judged part shows only what the learner's
/// memory does. It has a result of its own: what it leaves pinned must not be in the way of the judged call.
void warm_up(chunked_data data, float* result) {
  data.chunks = 1;
  data.result = result;
  exercise::begin_part("warm-up");
  add_up(data);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

float* ordinary_memory(std::size_t bytes) {
  return static_cast<float*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
}

void poison_device(const chunked_data& data, float value) {
  const std::vector<float> poison(static_cast<std::size_t>(data.elements), value);
  for (float* each : {data.device_chunk, data.device_sum}) {
    cudaMemcpy(each, poison.data(), poison.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaDeviceSynchronize();
}

/// The names of the contract, for reports.
void name_all(const chunked_data& data) {
  exercise::name_stream(data.stream, "data.stream");
  exercise::name_memory(data.result, "result");
  exercise::name_memory(data.device_chunk, "device_chunk");
  exercise::name_memory(data.device_sum, "device_sum");
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  chunked_data data{};
  data.chunks = static_cast<int>(request.integer("chunks"));
  data.elements = static_cast<int>(request.integer("elements"));
  data.pinning_budget = static_cast<std::size_t>(request.integer("pinning_budget"));
  data.blocks = (data.elements + threads_per_block - 1) / threads_per_block;
  data.read_chunk = &read_chunk;
  data.host_task = &host_task;
  chunk_elements = static_cast<std::size_t>(data.elements);
  chunks_begin = input.data();
  const std::size_t bytes = chunk_elements * sizeof(float);
  data.result = ordinary_memory(bytes);
  float* const result_of_warm_up = ordinary_memory(bytes);
  cudaMalloc(&data.device_chunk, bytes);
  cudaMalloc(&data.device_sum, bytes);
  cudaStreamCreateWithFlags(&data.stream, cudaStreamNonBlocking);

  name_all(data);
  const double length = host_task_nanoseconds(request, data);
  answer.set("calibrated.host_task_nanoseconds", length);
  host_task_length = std::chrono::nanoseconds(static_cast<long long>(length));
  warm_up(data, result_of_warm_up);

  std::fill(data.result, data.result + chunk_elements, static_cast<float>(request.number("poison.output")));
  poison_device(data, static_cast<float>(request.number("poison.device")));

  std::vector<float> result(chunk_elements);
  exercise::begin_learner();
  add_up(data);
  std::memcpy(result.data(), data.result, bytes);  // at once, as the contract says: nothing here waits first
  exercise::end_learner();
  answer.set("result", result);

  cudaDeviceSynchronize();
  cudaStreamDestroy(data.stream);
  cudaFree(data.device_chunk);
  cudaFree(data.device_sum);
  std::free(data.result);
  std::free(result_of_warm_up);
}
