// Feeds process_batches() of lesson 03 from a request and hands back what it left in the output.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "async_copy.h"
#include "exercise/exercise.h"
#include "exercise/message.h"
#include "workload.h"

namespace {

std::chrono::nanoseconds host_task_length{0};

void host_task() { host_work(host_task_length); }

/// Milliseconds between two events around the operations that `enqueue` puts into the stream: the median of
/// three.
template <typename Enqueue>
float milliseconds_of(cudaStream_t stream, Enqueue enqueue) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float measured[3] = {};
  for (float& each : measured) {
    cudaEventRecord(begin, stream);
    enqueue();
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&each, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(measured, measured + 3);
  return measured[1];
}

float milliseconds_of_copy(const batches& work) {
  const lane& first = work.lanes[0];
  return milliseconds_of(first.stream, [&] {
    cudaMemcpyAsync(first.device_input, work.input, work.elements * sizeof(float), cudaMemcpyHostToDevice,
                    first.stream);
  });
}

float milliseconds_of_kernel(const batches& work, long long cycles) {
  const lane& first = work.lanes[0];
  return milliseconds_of(first.stream, [&] {
    transform<<<work.blocks, threads_per_block, 0, first.stream>>>(first.device_input, first.device_output,
                                                                   work.elements, cycles);
  });
}

struct calibration {
  double cycles;  ///< of the kernel
  double host_task_nanoseconds;
};

/// The cycles for which the kernel takes `wanted` milliseconds; 0, which the checker refuses, if that cannot
/// be told. A line through two measurements gives a guess; where the kernel's own work and its cycles run
/// side by side the line is bent, so a second line from the guess corrects it.
double cycles_for(const batches& work, double wanted) {
  constexpr double reference = 20'000;
  milliseconds_of_kernel(work, 0);  // the first launch is slower
  const double shortest = milliseconds_of_kernel(work, 0);
  const double longer = milliseconds_of_kernel(work, static_cast<long long>(reference));
  if (longer <= shortest || wanted <= shortest) return 0;
  const double guess = std::floor(reference * (wanted - shortest) / (longer - shortest));
  const double guessed = milliseconds_of_kernel(work, static_cast<long long>(guess));
  if (guess == reference || guessed == longer) return guess;
  return std::max(0.0, guess + (wanted - guessed) * (reference - guess) / (longer - guessed));
}

/// Chooses the lengths of kernel and host task relative to the copy of one batch, as measured on this device.
calibration calibrate(const batches& work, double kernel_to_copy, double host_task_to_copy) {
  exercise::begin_part("calibration");
  const double copy = milliseconds_of_copy(work);
  const double cycles = cycles_for(work, copy * kernel_to_copy);
  exercise::end_part("calibration");
  return {cycles, copy * host_task_to_copy * 1e6};
}

/// What overlap is measured against: one batch, each step waited for, then a copy in each direction at the
/// same time, which disturb each other.
void one_after_another(const batches& work) {
  const lane& first = work.lanes[0];
  const std::size_t bytes = work.elements * sizeof(float);
  exercise::begin_part("serial");
  cudaMemcpy(first.device_input, work.input, bytes, cudaMemcpyHostToDevice);
  transform<<<work.blocks, threads_per_block>>>(first.device_input, first.device_output, work.elements,
                                                work.cycles);
  cudaMemcpy(work.output, first.device_output, bytes, cudaMemcpyDeviceToHost);
  exercise::end_part("serial");
  exercise::begin_part("duplex");
  cudaMemcpyAsync(first.device_input, work.input, bytes, cudaMemcpyHostToDevice, first.stream);
  cudaMemcpyAsync(work.output, work.lanes[1].device_output, bytes, cudaMemcpyDeviceToHost,
                  work.lanes[1].stream);
  cudaDeviceSynchronize();
  exercise::end_part("duplex");
}

/// The calibration of the plain run, when the request brings it, holds under every other schedule.
calibration calibration_for(const exercise::message& request, const batches& work) {
  const double kernel_to_copy = request.number("kernel_to_copy");
  const double host_task_to_copy = request.number("host_task_to_copy");
  if (!request.has("calibrated.cycles")) return calibrate(work, kernel_to_copy, host_task_to_copy);
  return {request.number("calibrated.cycles"), request.number("calibrated.host_task_nanoseconds")};
}

/// The first launch of a kernel loads its code, and each file that includes async_copy.h has a kernel of its
/// own. A call with two batches gets that over with, so that the judged part shows only what the learner's
/// queueing does.
void warm_up(batches work) {
  work.count = std::min(work.count, 2);
  exercise::begin_part("warm-up");
  process_batches(work);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

void poison_device(const batches& work, float value) {
  const std::vector<float> poison(static_cast<std::size_t>(work.elements), value);
  for (const lane& each : work.lanes) {
    cudaMemcpy(each.device_input, poison.data(), poison.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(each.device_output, poison.data(), poison.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
}

/// The names of the contract, for reports.
void name_all(const batches& work) {
  exercise::name_memory(work.input, "input");
  exercise::name_memory(work.output, "output");
  int place = 0;
  for (const lane& each : work.lanes) {
    const std::string name = "lanes[" + std::to_string(place++) + "].";
    exercise::name_stream(each.stream, name + "stream");
    exercise::name_memory(each.device_input, name + "device_input");
    exercise::name_memory(each.device_output, name + "device_output");
  }
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  const std::size_t bytes = input.size() * sizeof(float);
  float* pinned_input;
  float* pinned_output;
  cudaMallocHost(&pinned_input, bytes);
  cudaMallocHost(&pinned_output, bytes);
  std::memcpy(pinned_input, input.data(), bytes);

  batches work{};
  work.count = static_cast<int>(request.integer("batches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.input = pinned_input;
  work.output = pinned_output;
  work.blocks = (work.elements + threads_per_block - 1) / threads_per_block;
  work.host_task = &host_task;
  for (lane& each : work.lanes) {
    cudaStreamCreateWithFlags(&each.stream, cudaStreamNonBlocking);
    cudaMalloc(&each.device_input, work.elements * sizeof(float));
    cudaMalloc(&each.device_output, work.elements * sizeof(float));
  }

  name_all(work);
  const calibration lengths = calibration_for(request, work);
  answer.set("calibrated.cycles", lengths.cycles);
  answer.set("calibrated.host_task_nanoseconds", lengths.host_task_nanoseconds);
  work.cycles = static_cast<long long>(lengths.cycles);
  host_task_length = std::chrono::nanoseconds(static_cast<long long>(lengths.host_task_nanoseconds));
  if (!request.has("calibrated.cycles")) one_after_another(work);
  warm_up(work);

  std::fill(pinned_output, pinned_output + input.size(), static_cast<float>(request.number("poison.output")));
  poison_device(work, static_cast<float>(request.number("poison.device")));
  cudaDeviceSynchronize();

  std::vector<float> output(input.size());
  exercise::begin_learner();
  process_batches(work);
  std::memcpy(output.data(), pinned_output,
              bytes);  // at once, as the contract says: nothing here waits first
  exercise::end_learner();
  answer.set("output", output);

  cudaDeviceSynchronize();
  for (const lane& each : work.lanes) {
    cudaStreamDestroy(each.stream);
    cudaFree(each.device_input);
    cudaFree(each.device_output);
  }
  cudaFreeHost(pinned_input);
  cudaFreeHost(pinned_output);
}
