// Feeds run_chains() of lesson 01 from a request and hands back the values, the notes and the error codes.
#include "exercise/drive_kit.h"
#include "stream_basics.h"

using namespace exercise;

namespace {

/// The caller's reading, in a stream that waits for no other: what the learner did not wait for is missed.
std::vector<float> read(const float* from, std::size_t count, float poison, cudaStream_t stream) {
  std::vector<float> values = equal_floats(count, poison);
  cudaMemcpyAsync(values.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return values;
}

}  // namespace

void drive(const message& request, message& answer) {
  const std::vector<float>& start = request.values<float>("start");
  workspace space;
  chains work{};
  work.steps = static_cast<int>(request.integer("steps"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.threads = static_cast<int>(request.integer("threads"));
  work.blocks = blocks_for(work.elements, work.threads);
  const auto note_count = static_cast<std::size_t>(chain_count) * work.steps;
  work.values = space.device(start.size(), "values");
  work.notes = space.device(note_count, "notes");
  const cudaStream_t reader = space.stream();

  const auto milliseconds_of_step = [&](long long cycles) {
    return median_milliseconds(reader, [&] {
      advance<<<work.blocks, work.threads, 0, reader>>>(work.values, work.elements, 0, cycles);
    });
  };
  const double wanted = request.number("step_milliseconds");
  work.cycles = static_cast<long long>(calibrated(request, answer, "cycles", [&] {
    return cycles_for(wanted, 100'000, milliseconds_of_step, line_fit::straight);
  }));

  space.poison(request);
  cudaMemcpy(work.values, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  part_of_call("learner_and_reader", [&] {
    cudaError_t error{};
    learner_part([&] { error = run_chains(work); });
    answer.set("values", read(work.values, start.size(), output_poison(request), reader));
    answer.set("notes", read(work.notes, note_count, output_poison(request), reader));
    set_error(answer, "error", error);
  });
  cudaDeviceSynchronize();

  chains too_large = work;
  too_large.threads = static_cast<int>(request.integer("driver.threads_that_cannot_be"));
  part_of_call("too_large_launch", [&] {
    set_error(answer, "error.too_large", run_chains(too_large));
    read(work.notes, note_count, output_poison(request),
         reader);  // as after the other call: what is still in work shows
  });
  cudaDeviceSynchronize();
  cudaGetLastError();  // what a call leaves behind belongs to that call alone
}
