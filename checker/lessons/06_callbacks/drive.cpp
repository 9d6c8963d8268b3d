// Feeds run_pipeline() of lesson 06 from a request and hands back what it let the caller consume.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "callbacks.h"
#include "exercise/exercise.h"
#include "exercise/message.h"
#include "workload.h"

namespace {

/// What prepare() and consume() work with. The function pointers of the contract leave no room for it.
struct host_side {
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  std::vector<int> consumed;  ///< how often, by batch
  std::size_t elements = 0;
  std::chrono::nanoseconds prepare_length{0};
  std::chrono::nanoseconds consume_length{0};
};

host_side host;

bool is_batch(int batch) { return batch >= 0 && static_cast<std::size_t>(batch) < host.consumed.size(); }

/// Half of the input is written at the beginning and the rest at the end, so the buffer is in use all the
/// time.
void prepare(int batch, float* input) {
  if (!is_batch(batch)) return;
  const float* const from = host.inputs->data() + static_cast<std::size_t>(batch) * host.elements;
  const std::size_t half = host.elements / 2;
  std::memcpy(input, from, half * sizeof(float));
  host_work(host.prepare_length);
  std::memcpy(input + half, from + half, (host.elements - half) * sizeof(float));
}

/// Reads half of the result at the beginning and the rest at the end. A batch consumed again is added to what
/// it left the first time, so that it shows.
void consume(int batch, const float* output) {
  if (!is_batch(batch)) return;
  float* const to = host.results.data() + static_cast<std::size_t>(batch) * host.elements;
  const bool is_first = host.consumed[batch]++ == 0;
  const auto read = [&](std::size_t begin, std::size_t end) {
    if (is_first) {
      std::memcpy(to + begin, output + begin, (end - begin) * sizeof(float));
    } else {
      for (std::size_t i = begin; i < end; ++i) to[i] += output[i];
    }
  };
  read(0, host.elements / 2);
  host_work(host.consume_length);
  read(host.elements / 2, host.elements);
}

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

float milliseconds_of_copy(const pipeline& work) {
  const lane& first = work.lanes[0];
  return milliseconds_of(first.stream, [&] {
    cudaMemcpyAsync(first.device_input, first.input, work.elements * sizeof(float), cudaMemcpyHostToDevice,
                    first.stream);
  });
}

float milliseconds_of_kernel(const pipeline& work, long long cycles) {
  const lane& first = work.lanes[0];
  return milliseconds_of(first.stream, [&] {
    transform<<<work.blocks, threads_per_block, 0, first.stream>>>(first.device_input, first.device_output,
                                                                   work.elements, cycles);
  });
}

/// The cycles for which the kernel takes `wanted` milliseconds; 0, which the checker refuses, if that cannot
/// be told. A line through two measurements gives a guess, and a second line from the guess corrects it.
double cycles_for(const pipeline& work, double wanted) {
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

struct calibration {
  double cycles;
  double kernel_nanoseconds;
};

/// The calibration of the plain run, when the request brings it, holds under every other schedule.
calibration calibration_for(const exercise::message& request, const pipeline& work) {
  const double kernel_to_copy = request.number("kernel_to_copy");
  if (request.has("calibrated.cycles")) {
    return {request.number("calibrated.cycles"), request.number("calibrated.kernel_nanoseconds")};
  }
  exercise::begin_part("calibration");
  const double kernel = milliseconds_of_copy(work) * kernel_to_copy;
  const calibration found{cycles_for(work, kernel), kernel * 1e6};
  exercise::end_part("calibration");
  return found;
}

void poison_lanes(const pipeline& work, float output, float device) {
  const std::size_t count = static_cast<std::size_t>(work.elements);
  const std::vector<float> poison(count, device);
  for (const lane& each : work.lanes) {
    std::fill(each.input, each.input + count, device);
    std::fill(each.output, each.output + count, output);
    cudaMemcpy(each.device_input, poison.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(each.device_output, poison.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  }
}

/// The first launch of a kernel loads its code, and each file that includes callbacks.h has a kernel of its
/// own. A call with two batches gets that over with. It works in the lanes of the call that counts: a thread
/// that the learner left behind goes on with them.
void warm_up(pipeline& work) {
  const int count = std::exchange(work.count, std::min(work.count, 2));
  exercise::begin_part("warm-up");
  run_pipeline(work);
  work.count = count;
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

/// The names of the contract, for reports.
void name_all(const pipeline& work) {
  int place = 0;
  for (const lane& each : work.lanes) {
    const std::string name = "lanes[" + std::to_string(place++) + "].";
    exercise::name_stream(each.stream, name + "stream");
    exercise::name_memory(each.input, name + "input");
    exercise::name_memory(each.output, name + "output");
    exercise::name_memory(each.device_input, name + "device_input");
    exercise::name_memory(each.device_output, name + "device_output");
  }
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& inputs = request.values<float>("input");
  const float output_poison = static_cast<float>(request.number("poison.output"));
  const float device_poison = static_cast<float>(request.number("poison.device"));
  static pipeline work{};  // left behind as well
  work.count = static_cast<int>(request.integer("batches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.blocks = (work.elements + threads_per_block - 1) / threads_per_block;
  work.prepare = &prepare;
  work.consume = &consume;
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  for (lane& each : work.lanes) {
    cudaStreamCreateWithFlags(&each.stream, cudaStreamNonBlocking);
    cudaMallocHost(&each.input, bytes);
    cudaMallocHost(&each.output, bytes);
    cudaMalloc(&each.device_input, bytes);
    cudaMalloc(&each.device_output, bytes);
  }

  name_all(work);
  const calibration lengths = calibration_for(request, work);
  answer.set("calibrated.cycles", lengths.cycles);
  answer.set("calibrated.kernel_nanoseconds", lengths.kernel_nanoseconds);
  work.cycles = static_cast<long long>(lengths.cycles);

  const auto part_of_kernel = [&](const char* name) {
    return std::chrono::nanoseconds(
        static_cast<long long>(lengths.kernel_nanoseconds * request.number(name)));
  };
  host.inputs = &inputs;
  host.elements = static_cast<std::size_t>(work.elements);
  host.prepare_length = part_of_kernel("prepare_to_kernel");
  host.consume_length = part_of_kernel("consume_to_kernel");
  const auto forget = [&] {
    host.results.assign(inputs.size(), output_poison);
    host.consumed.assign(static_cast<std::size_t>(work.count), 0);
  };
  forget();
  warm_up(work);
  forget();
  poison_lanes(work, output_poison, device_poison);
  cudaDeviceSynchronize();

  exercise::begin_learner();
  run_pipeline(work);
  const std::vector<float> results = host.results;  // at once, as the contract says: nothing here waits first
  exercise::end_learner();
  answer.set("results", results);

  // Nothing is freed: a thread that the learner left behind may still be consuming, and the results say that
  // better than a fault.
  cudaDeviceSynchronize();
}
