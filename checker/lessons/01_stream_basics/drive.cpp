// Feeds run_chains() of lesson 01 from a request and hands back the values, the notes and the error codes.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/message.h"
#include "stream_basics.h"
#include "workload.h"

namespace {

/// Milliseconds that one step takes alone: the median of three.
float milliseconds_of_step(const chains& work, cudaStream_t stream, long long cycles) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float measured[3] = {};
  for (float& each : measured) {
    cudaEventRecord(begin, stream);
    advance<<<work.blocks, work.threads, 0, stream>>>(work.values, work.elements, 0, cycles);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&each, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(measured, measured + 3);
  return measured[1];
}

/// The cycles for which a step takes `wanted` milliseconds; 0, which the checker refuses, if that cannot be
/// told. A line through two measurements gives it: a step does little beside its cycles.
double cycles_for(const chains& work, cudaStream_t stream, double wanted) {
  constexpr double reference = 100'000;
  exercise::begin_part("calibration");
  milliseconds_of_step(work, stream, 0);  // the first launch is slower
  const double shortest = milliseconds_of_step(work, stream, 0);
  const double longer = milliseconds_of_step(work, stream, static_cast<long long>(reference));
  exercise::end_part("calibration");
  if (longer <= shortest || wanted <= shortest) return 0;
  return std::floor(reference * (wanted - shortest) / (longer - shortest));
}

/// The calibration of the plain run, when the request brings it, holds under every other schedule.
double calibration_for(const exercise::message& request, const chains& work, cudaStream_t stream) {
  const double wanted = request.number("step_milliseconds");
  return request.has("calibrated.cycles") ? request.number("calibrated.cycles")
                                          : cycles_for(work, stream, wanted);
}

/// The first launch of a kernel loads its code, and each file that includes stream_basics.h has kernels of
/// its own. A call with one step gets that over with, so that the judged part shows only what the learner's
/// queueing does.
void warm_up(chains work) {
  work.steps = 1;
  exercise::begin_part("warm-up");
  run_chains(work);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

void fill(const chains& work, const std::vector<float>& start, float poison) {
  const std::vector<float> notes(static_cast<std::size_t>(chain_count) * work.steps, poison);
  cudaMemcpy(work.values, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(work.notes, notes.data(), notes.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

/// The caller's reading, in a stream that waits for no other: what the learner did not wait for is missed.
void read(std::vector<float>& into, const float* from, cudaStream_t stream) {
  cudaMemcpyAsync(into.data(), from, into.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
}

/// The names of the contract, for reports.
void name_all(const chains& work) {
  exercise::name_memory(work.values, "values");
  exercise::name_memory(work.notes, "notes");
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& start = request.values<float>("start");
  chains work{};
  work.steps = static_cast<int>(request.integer("steps"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.threads = static_cast<int>(request.integer("threads"));
  work.blocks = (work.elements + work.threads - 1) / work.threads;
  const auto note_count = static_cast<std::size_t>(chain_count) * work.steps;
  cudaMalloc(&work.values, start.size() * sizeof(float));
  cudaMalloc(&work.notes, note_count * sizeof(float));
  name_all(work);
  cudaStream_t reader;
  cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking);

  const double cycles = calibration_for(request, work, reader);
  answer.set("calibrated.cycles", cycles);
  work.cycles = static_cast<long long>(cycles);
  warm_up(work);

  const auto output_poison = static_cast<float>(request.number("poison.output"));
  std::vector<float> values(start.size(), output_poison);
  std::vector<float> notes(note_count, output_poison);
  fill(work, start, static_cast<float>(request.number("poison.device")));

  exercise::begin_part("learner_and_reader");
  exercise::begin_learner();
  const cudaError_t error = run_chains(work);
  exercise::end_learner();
  read(values, work.values, reader);
  read(notes, work.notes, reader);
  exercise::end_part("learner_and_reader");
  answer.set("values", values);
  answer.set("notes", notes);
  answer.set("error", static_cast<std::int64_t>(error));
  cudaDeviceSynchronize();
  cudaGetLastError();  // what the learner left behind belongs to the first call alone

  chains too_large = work;
  too_large.threads = static_cast<int>(request.integer("threads_beyond_the_limit"));
  exercise::begin_part("too_large_launch");
  answer.set("error.too_large", static_cast<std::int64_t>(run_chains(too_large)));
  exercise::end_part("too_large_launch");

  cudaDeviceSynchronize();
  cudaStreamDestroy(reader);
  cudaFree(work.values);
  cudaFree(work.notes);
}
