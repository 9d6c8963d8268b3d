// Feeds the functions of lesson 04 from a request, and hands back what they left in the sum.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/message.h"
#include "multi_stream.h"
#include "workload.h"

namespace {

constexpr int kernel_parts = 8;

std::size_t bytes_of(const vectors& work) { return static_cast<std::size_t>(work.elements) * sizeof(float); }

/// Milliseconds between two events around the operations that `enqueue` puts into the first stream: the
/// median of three.
template <typename Enqueue>
float milliseconds_of(const vectors& work, Enqueue enqueue) {
  const cudaStream_t stream = work.streams[0];
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float measured[3] = {};
  for (float& each : measured) {
    cudaEventRecord(begin, stream);
    enqueue(stream);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&each, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(measured, measured + 3);
  return measured[1];
}

void copy_both_inputs(const vectors& work, cudaStream_t stream) {
  cudaMemcpyAsync(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(work.device_right, work.right, bytes_of(work), cudaMemcpyHostToDevice, stream);
}

void add_all(const vectors& work, cudaStream_t stream, long long cycles) {
  add<<<blocks, threads_per_block, 0, stream>>>(work.device_left, work.device_right, work.device_sum, 0,
                                                work.elements, cycles);
}

/// Of one eighth of the work: the kernel's length is proportional to its elements.
float milliseconds_of_kernel(const vectors& work, double cycles) {
  vectors part = work;
  part.elements /= kernel_parts;
  return milliseconds_of(part,
                         [&](cudaStream_t stream) { add_all(part, stream, static_cast<long long>(cycles)); });
}

/// The cycles for which the kernel takes `wanted` milliseconds; 0, which the checker refuses, if that cannot
/// be told. A line through two measurements gives a guess; where the kernel's own work and its cycles run
/// side by side the line is bent, so a second line from the guess corrects it.
double cycles_for(const vectors& work, double wanted) {
  constexpr double reference = 2'000;
  milliseconds_of_kernel(work, 0);  // the first launch is slower
  const double shortest = milliseconds_of_kernel(work, 0);
  const double longer = milliseconds_of_kernel(work, reference);
  if (longer <= shortest || wanted <= shortest) return 0;
  const double guess = std::floor(reference * (wanted - shortest) / (longer - shortest));
  const double guessed = milliseconds_of_kernel(work, guess);
  if (guess == reference || guessed == longer) return guess;
  return std::max(0.0, guess + (wanted - guessed) * (reference - guess) / (longer - guessed));
}

/// Chooses the length of the kernel relative to the copies to the device, as measured on this device.
double calibrated_cycles(const vectors& work, double kernel_to_copies) {
  exercise::begin_part("calibration");
  const double copies = milliseconds_of(work, [&](cudaStream_t stream) { copy_both_inputs(work, stream); });
  const double cycles = cycles_for(work, copies * kernel_to_copies / kernel_parts);
  exercise::end_part("calibration");
  return cycles;
}

/// The whole work, each step waited for: what overlap is measured against.
void do_serially(const vectors& work) {
  cudaMemcpy(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_right, work.right, bytes_of(work), cudaMemcpyHostToDevice);
  add_all(work, nullptr, work.cycles);
  cudaMemcpy(work.sum, work.device_sum, bytes_of(work), cudaMemcpyDeviceToHost);
}

/// A copy in each direction at the same time: how much they disturb each other.
void duplex(const vectors& work) {
  exercise::begin_part("duplex");
  cudaMemcpyAsync(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice, work.streams[0]);
  cudaMemcpyAsync(work.sum, work.device_sum, bytes_of(work), cudaMemcpyDeviceToHost, work.streams[1]);
  cudaDeviceSynchronize();
  exercise::end_part("duplex");
}

/// One array in many copies, the streams in turn: what each copy costs beside its bytes.
void pieces(const vectors& work) {
  constexpr int count = 16;
  exercise::begin_part("pieces");
  for (int piece = 0; piece < count; ++piece) {
    const auto first = static_cast<std::int64_t>(work.elements) * piece / count;
    const auto last = static_cast<std::int64_t>(work.elements) * (piece + 1) / count;
    cudaMemcpyAsync(work.device_left + first, work.left + first, (last - first) * sizeof(float),
                    cudaMemcpyHostToDevice, work.streams[piece % most_streams]);
  }
  cudaDeviceSynchronize();
  exercise::end_part("pieces");
}

/// Microseconds of one call with that plan, by the host's clock.
double microseconds_of(const vectors& work, const plan& tried) {
  const auto begin = std::chrono::steady_clock::now();
  add_in_chunks(work, tried);
  cudaDeviceSynchronize();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

/// What other plans would have taken: a table for the learner, which nobody judges.
void try_other_plans(const vectors& work, int copy_engines) {
  constexpr struct {
    int chunks, streams;
  } tried[] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 8}, {32, 8}, {8, 2}, {8, 4}};
  exercise::begin_part("other plans");
  const auto begin = std::chrono::steady_clock::now();
  do_serially(work);
  const std::chrono::duration<double, std::micro> one_by_one = std::chrono::steady_clock::now() - begin;
  std::printf("Your add_in_chunks() with other plans, in us; with cudaMemcpy, one step after another: %.0f\n",
              one_by_one.count());
  std::printf("chunks  streams  depth first  breadth first\n");
  for (const auto& each : tried) {
    plan next{copy_engines, each.chunks, each.streams, issue_order::depth_first};
    const double depth_first = microseconds_of(work, next);
    next.order = issue_order::breadth_first;
    std::printf("%6d  %7d  %11.0f  %13.0f\n", each.chunks, each.streams, depth_first,
                microseconds_of(work, next));
  }
  exercise::end_part("other plans");
}

/// The first launch of a kernel loads its code, and each file that includes multi_stream.h has a kernel of
/// its own. A call with a few elements gets that over with, so that the judged part shows only what the
/// learner's queueing does.
void warm_up(vectors work) {
  work.elements = std::min(work.elements, 4 * blocks * threads_per_block + 1);
  exercise::begin_part("warm-up");
  plan chosen = make_plan(0);
  chosen.chunks = std::min(chosen.chunks, most_streams);
  add_in_chunks(work, chosen);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

/// Each setting of the request in a part of its own, in the order of the file's own plan. Poison first: what
/// a setting leaves undone must not be there from the one before.
void sweep(const vectors& work, const exercise::message& request, exercise::message& answer) {
  const plan own = make_plan(0);
  answer.set("sweep.chosen.streams", std::int64_t{own.streams});
  answer.set("sweep.chosen.chunks", std::int64_t{own.chunks});
  const auto& streams = request.values<std::int64_t>("sweep.streams");
  const auto& chunks = request.values<std::int64_t>("sweep.chunks");
  std::vector<std::int64_t> digests;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::memset(work.sum, 0xff, bytes_of(work));
    for (float* each : {work.device_left, work.device_right, work.device_sum}) {
      cudaMemset(each, 0xff, bytes_of(work));
    }
    cudaDeviceSynchronize();
    const plan tried{own.copy_engines, static_cast<int>(chunks[i]), static_cast<int>(streams[i]), own.order};
    const std::string part = "sweep " + std::to_string(i);
    exercise::begin_part(part);
    add_in_chunks(work, tried);
    exercise::end_part(part);
    digests.push_back(exercise::digest(work.sum, bytes_of(work)));
    cudaDeviceSynchronize();
  }
  answer.set("sweep.digests", digests);
}

void release(const vectors& work) {
  for (cudaStream_t each : work.streams) cudaStreamDestroy(each);
  for (float* each : {work.device_left, work.device_right, work.device_sum}) cudaFree(each);
  for (const float* each : {work.left, work.right, static_cast<const float*>(work.sum)})
    cudaFreeHost(const_cast<float*>(each));
}

void poison(const vectors& work, float host, float device) {
  std::fill(work.sum, work.sum + work.elements, host);
  const std::vector<float> poison(work.elements, device);
  for (float* each : {work.device_left, work.device_right, work.device_sum}) {
    cudaMemcpy(each, poison.data(), bytes_of(work), cudaMemcpyHostToDevice);
  }
  cudaDeviceSynchronize();
}

float* pinned(std::size_t bytes) {
  float* memory;
  cudaMallocHost(&memory, bytes);
  return memory;
}

float* pinned_copy(const std::vector<float>& values) {
  float* memory = pinned(values.size() * sizeof(float));
  std::memcpy(memory, values.data(), values.size() * sizeof(float));
  return memory;
}

/// The names of the contract, for reports.
void name_all(const vectors& work) {
  exercise::name_memory(work.left, "left");
  exercise::name_memory(work.right, "right");
  exercise::name_memory(work.sum, "sum");
  exercise::name_memory(work.device_left, "device_left");
  exercise::name_memory(work.device_right, "device_right");
  exercise::name_memory(work.device_sum, "device_sum");
  for (int i = 0; i < most_streams; ++i)
    exercise::name_stream(work.streams[i], "streams[" + std::to_string(i) + "]");
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  vectors work{};
  work.elements = static_cast<int>(request.values<float>("left").size());
  work.left = pinned_copy(request.values<float>("left"));
  work.right = pinned_copy(request.values<float>("right"));
  work.sum = pinned(bytes_of(work));
  for (float** each : {&work.device_left, &work.device_right, &work.device_sum}) {
    cudaMalloc(each, bytes_of(work));
  }
  for (cudaStream_t& each : work.streams) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  name_all(work);

  // The calibration of the plain run, when the request brings it, holds under every other schedule.
  const double kernel_to_copies = request.number("kernel_to_copies");
  const bool is_plain_run = !request.has("calibrated.cycles");
  const double cycles =
      is_plain_run ? calibrated_cycles(work, kernel_to_copies) : request.number("calibrated.cycles");
  answer.set("calibrated.cycles", cycles);
  work.cycles = static_cast<long long>(cycles);
  if (is_plain_run) {
    exercise::begin_part("serial");
    do_serially(work);
    exercise::end_part("serial");
    duplex(work);
    pieces(work);
  }
  warm_up(work);
  const auto host_poison = static_cast<float>(request.number("poison.output"));
  const auto device_poison = static_cast<float>(request.number("poison.device"));
  if (request.has("sweep.streams")) {
    sweep(work, request, answer);
    return release(work);
  }

  std::vector<float> sum(work.elements);
  poison(work, host_poison, device_poison);
  exercise::begin_learner();
  plan chosen = make_plan(0);
  add_in_chunks(work, chosen);
  std::memcpy(sum.data(), work.sum,
              bytes_of(work));  // at once, as the contract says: nothing here waits first
  exercise::end_learner();
  answer.set("sum", sum);
  answer.set("plan.copy_engines", std::int64_t{chosen.copy_engines});
  answer.set("plan.is_breadth_first", std::int64_t{chosen.order == issue_order::breadth_first});

  cudaDeviceSynchronize();
  poison(work, host_poison, device_poison);
  chosen.order =
      chosen.order == issue_order::depth_first ? issue_order::breadth_first : issue_order::depth_first;
  exercise::begin_part("other order");
  add_in_chunks(work, chosen);
  std::memcpy(sum.data(), work.sum, bytes_of(work));
  exercise::end_part("other order");
  answer.set("sum in other order", sum);

  cudaDeviceSynchronize();
  if (is_plain_run) try_other_plans(work, chosen.copy_engines);

  release(work);
}
