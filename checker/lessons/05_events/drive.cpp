// Feeds the functions of lesson 05 from a request and hands back the two pictures and the measured time.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "events.h"
#include "exercise/exercise.h"
#include "exercise/message.h"
#include "workload.h"

namespace {

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

float milliseconds_of_copy(const pictures& work) {
  return milliseconds_of(work.left_stream, [&] {
    cudaMemcpyAsync(work.device_left, work.left, work.elements * sizeof(float), cudaMemcpyHostToDevice,
                    work.left_stream);
  });
}

float milliseconds_of_sharpen(const pictures& work, long long cycles) {
  return milliseconds_of(work.left_stream, [&] {
    sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
        work.device_left, work.device_weights, work.device_sharp, work.elements, work.weight_count, cycles);
  });
}

/// The cycles for which a kernel takes `kernel_to_copy` times as long as the copy of a picture; 0, which the
/// checker refuses, if that cannot be told. A line through two measurements gives a guess, a second line from
/// the guess corrects it.
double calibrate(const pictures& work, double kernel_to_copy) {
  constexpr double reference = 20'000;
  exercise::begin_part("calibration");
  const double wanted = milliseconds_of_copy(work) * kernel_to_copy;
  milliseconds_of_sharpen(work, 0);  // the first launch is slower
  const double shortest = milliseconds_of_sharpen(work, 0);
  const double longer = milliseconds_of_sharpen(work, static_cast<long long>(reference));
  double cycles = 0;
  if (longer > shortest && wanted > shortest) {
    cycles = std::floor(reference * (wanted - shortest) / (longer - shortest));
    const double guessed = milliseconds_of_sharpen(work, static_cast<long long>(cycles));
    if (cycles != reference && guessed != longer) {
      cycles += (wanted - guessed) * (reference - cycles) / (longer - guessed);
    }
  }
  exercise::end_part("calibration");
  return std::max(0.0, cycles);
}

float* pinned_copy_of(const std::vector<float>& values) {
  float* memory;
  cudaMallocHost(&memory, values.size() * sizeof(float));
  std::memcpy(memory, values.data(), values.size() * sizeof(float));
  return memory;
}

float* device_memory_filled_with(int elements, float value) {
  const std::vector<float> values(static_cast<std::size_t>(elements), value);
  float* memory;
  cudaMalloc(&memory, values.size() * sizeof(float));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return memory;
}

void poison_all(const pictures& work, float in_output, float on_device) {
  const std::size_t elements = static_cast<std::size_t>(work.elements);
  std::fill(work.blended, work.blended + elements, in_output);
  std::fill(work.mirrored, work.mirrored + elements, in_output);
  const std::vector<float> poison(elements, on_device);
  for (float* buffer : {work.device_left, work.device_right, work.device_sharp, work.device_smooth,
                        work.device_blended, work.device_mirrored}) {
    cudaMemcpy(buffer, poison.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaMemcpy(work.device_weights, poison.data(), work.weight_count * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

/// The first launch of a kernel loads its code, and each file that includes events.h has kernels of its own.
/// A call gets that over with, so that the judged part shows only what the learner's queueing does.
void warm_up(const pictures& work) {
  exercise::begin_part("warm-up");
  blend_pictures(work);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

/// The names of the contract, for reports.
void name_all(const pictures& work) {
  exercise::name_stream(work.left_stream, "left_stream");
  exercise::name_stream(work.right_stream, "right_stream");
  exercise::name_memory(work.weights, "weights");
  exercise::name_memory(work.left, "left");
  exercise::name_memory(work.right, "right");
  exercise::name_memory(work.blended, "blended");
  exercise::name_memory(work.mirrored, "mirrored");
  exercise::name_memory(work.device_weights, "device_weights");
  exercise::name_memory(work.device_left, "device_left");
  exercise::name_memory(work.device_right, "device_right");
  exercise::name_memory(work.device_sharp, "device_sharp");
  exercise::name_memory(work.device_smooth, "device_smooth");
  exercise::name_memory(work.device_blended, "device_blended");
  exercise::name_memory(work.device_mirrored, "device_mirrored");
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& left = request.values<float>("left");
  const std::vector<float>& weights = request.values<float>("weights");
  const float in_output = static_cast<float>(request.number("poison.output"));
  const float on_device = static_cast<float>(request.number("poison.device"));

  pictures work{};
  work.elements = static_cast<int>(left.size());
  work.weight_count = static_cast<int>(weights.size());
  float* const pinned_left = pinned_copy_of(left);
  float* const pinned_right = pinned_copy_of(request.values<float>("right"));
  float* const pinned_weights = pinned_copy_of(weights);
  work.left = pinned_left;
  work.right = pinned_right;
  work.weights = pinned_weights;
  cudaMallocHost(&work.blended, left.size() * sizeof(float));
  cudaMallocHost(&work.mirrored, left.size() * sizeof(float));
  work.device_weights = device_memory_filled_with(work.weight_count, on_device);
  for (float** buffer : {&work.device_left, &work.device_right, &work.device_sharp, &work.device_smooth,
                         &work.device_blended, &work.device_mirrored}) {
    *buffer = device_memory_filled_with(work.elements, on_device);
  }
  cudaStreamCreateWithFlags(&work.left_stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&work.right_stream, cudaStreamNonBlocking);
  work.blocks = 16;
  name_all(work);

  // The calibration of the plain run, when the request brings it, holds under every other schedule.
  const double kernel_to_copy = request.number("kernel_to_copy");
  const double cycles = request.has("calibrated.cycles") ? request.number("calibrated.cycles")
                                                         : calibrate(work, kernel_to_copy);
  answer.set("calibrated.cycles", cycles);
  work.cycles = static_cast<long long>(cycles);

  // Before anything else of the learner's file: no kernel of that file has run yet.
  exercise::begin_part("timing");
  const float milliseconds = milliseconds_of_smoothen(work);
  exercise::end_part("timing");
  answer.set("milliseconds_of_smoothen", static_cast<double>(milliseconds));
  cudaDeviceSynchronize();

  warm_up(work);
  poison_all(work, in_output, on_device);

  std::vector<float> blended(left.size());
  std::vector<float> mirrored(left.size());
  exercise::begin_learner();
  blend_pictures(work);
  // At once, as the contract says: nothing here waits first.
  std::memcpy(blended.data(), work.blended, blended.size() * sizeof(float));
  std::memcpy(mirrored.data(), work.mirrored, mirrored.size() * sizeof(float));
  exercise::end_learner();
  answer.set("blended", blended);
  answer.set("mirrored", mirrored);

  cudaDeviceSynchronize();
  for (float* buffer : {work.device_weights, work.device_left, work.device_right, work.device_sharp,
                        work.device_smooth, work.device_blended, work.device_mirrored}) {
    cudaFree(buffer);
  }
  for (float* memory : {pinned_left, pinned_right, pinned_weights, work.blended, work.mirrored}) {
    cudaFreeHost(memory);
  }
  cudaStreamDestroy(work.left_stream);
  cudaStreamDestroy(work.right_stream);
}
