// Feeds run_pipeline() of lesson 06 from a request and hands back what it let the caller consume.
#include "callbacks.h"
#include "exercise/drive_kit.h"

using namespace exercise;

namespace {

/// What prepare() and consume() work with. The function pointers of the contract leave no room for it.
struct host_side {
  const workspace* space = nullptr;
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  noted_calls prepares{"prepare"};
  noted_calls consumes{"consume"};
  std::size_t elements = 0;
  std::chrono::nanoseconds prepare_length{0};
  std::chrono::nanoseconds consume_length{0};
};

host_side host;

/// Half of the input is written at the beginning and the rest at the end, so the buffer is in use all the
/// time.
void prepare(int batch, float* input) {
  if (!host.prepares.note(batch, host.space->name_of(input))) return;
  const float* const from = host.inputs->data() + static_cast<std::size_t>(batch) * host.elements;
  const std::size_t half = host.elements / 2;
  std::memcpy(input, from, half * sizeof(float));
  host_work(host.prepare_length);
  std::memcpy(input + half, from + half, (host.elements - half) * sizeof(float));
}

/// Reads half of the result at the beginning and the rest at the end. A batch consumed again is added to what
/// it left the first time, so that it shows.
void consume(int batch, const float* output) {
  if (!host.consumes.note(batch)) return;
  note_source("results", static_cast<std::size_t>(batch) * host.elements, host.space->name_of(output));
  float* const to = host.results.data() + static_cast<std::size_t>(batch) * host.elements;
  const bool is_first = host.consumes.count(batch) == 1;
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

void forget(const pipeline& work, float poison) {
  fill(host.results, host.inputs->size(), poison);
  host.prepares.begin(static_cast<std::size_t>(work.count));
  host.consumes.begin(static_cast<std::size_t>(work.count));
}

/// Chooses the length of the kernel relative to the copy of a batch, and those of prepare() and consume()
/// relative to the kernel.
void calibrate(pipeline& work, const message& request, message& answer) {
  const double kernel_to_copy = request.number("kernel_to_copy");
  const lane& first = work.lanes[0];
  const auto copy = [&] {
    cudaMemcpyAsync(first.device_input, first.input, work.elements * sizeof(float), cudaMemcpyHostToDevice,
                    first.stream);
  };
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(first.stream, [&] {
      transform<<<work.blocks, threads_per_block, 0, first.stream>>>(first.device_input, first.device_output,
                                                                     work.elements, cycles);
    });
  };
  const auto lengths = calibrated(request, answer, {"cycles", "kernel_nanoseconds"}, [&] {
    const double kernel = median_milliseconds(first.stream, copy) * kernel_to_copy;
    return std::array{cycles_for(kernel, 20'000, milliseconds_of_kernel), kernel * 1e6};
  });
  const auto part_of_kernel = [&](const char* name) {
    return std::chrono::nanoseconds(static_cast<long long>(lengths[1] * request.number(name)));
  };
  work.cycles = static_cast<long long>(lengths[0]);
  host.prepare_length = part_of_kernel("prepare_to_kernel");
  host.consume_length = part_of_kernel("consume_to_kernel");
}

}  // namespace

void drive(const message& request, message& answer) {
  // Never freed: a thread that the learner left behind may still be consuming, and the results say that
  // better than a fault.
  auto& space = *new workspace;
  auto& work = *new pipeline{};
  work.count = static_cast<int>(request.integer("batches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.blocks = blocks_for(work.elements, threads_per_block);
  work.prepare = &prepare;
  work.consume = &consume;
  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  const bool overtakes = request.integer("driver.lanes_overtake_each_other") != 0;
  for (int i = 0; i < lane_count; ++i) {
    const std::string name = "lanes[" + std::to_string(i) + "].";
    lane& added = work.lanes[i];
    added.stream = space.stream(name + "stream", overtakes && i % 2 == 1 ? greatest : 0);
    added.input = space.pinned(work.elements, name + "input");
    added.output = space.pinned(work.elements, name + "output");
    added.device_input = space.device(work.elements, name + "device_input");
    added.device_output = space.device(work.elements, name + "device_output");
  }
  host.space = &space;
  host.inputs = &request.values<float>("input");
  host.elements = static_cast<std::size_t>(work.elements);

  calibrate(work, request, answer);
  forget(work, output_poison(request));
  space.poison(request);

  std::vector<float> results;
  learner_part([&] {
    run_pipeline(work);
    results = host.results;  // at once, as the contract says: nothing here waits first
  });
  answer.set("results", results);
  host.prepares.answer_in(answer);
  host.consumes.answer_in(answer);
  cudaDeviceSynchronize();
}
