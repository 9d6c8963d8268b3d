// Feeds process_batches() of lesson 12 from a request and hands back what it stored.
#include "exercise/drive_kit.h"
#include "host_threads.h"

using namespace exercise;

namespace {

/// What load() and store() work with: the function pointers of the contract leave no room for it. Threads share it, but
/// no two batches share any of its bytes.
struct host_side {
  const workspace* space = nullptr;
  const batch_list* work = nullptr;
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  noted_calls loads{"load"};
  noted_calls stores{"store"};
  std::size_t elements = 0;
  std::chrono::nanoseconds load_length{0};
  std::chrono::nanoseconds store_length{0};
  std::int64_t slow_batch = 0;
  std::int64_t slow_factor = 1;  ///< how many times longer store() takes for that batch
};

host_side host;

/// Half of the input is written at the beginning and the rest at the end: the buffer is in use all the time.
void load(int batch, float* staging) {
  if (!host.loads.note(batch)) return;
  if (staging != host.work->staging) host.loads.note_misplaced();
  const float* const from = host.inputs->data() + static_cast<std::size_t>(batch) * host.elements;
  const std::size_t half = host.elements / 2;
  std::memcpy(staging, from, half * sizeof(float));
  host_work(host.load_length);
  std::memcpy(staging + half, from + half, (host.elements - half) * sizeof(float));
}

/// Reads half of the result at the beginning and the rest at the end. A batch stored again is added to what it
/// left the first time, so that it shows.
void store(int batch, const float* output) {
  if (!host.stores.note(batch)) return;
  const worker* const workers = host.work->workers;
  const auto is_output = [&](const worker& one) { return one.output == output; };
  if (std::none_of(workers, workers + host.work->worker_count, is_output)) host.stores.note_misplaced();
  note_source("results", static_cast<std::size_t>(batch) * host.elements, host.space->name_of(output));
  float* const to = host.results.data() + static_cast<std::size_t>(batch) * host.elements;
  const bool is_first = host.stores.count(batch) == 1;
  const auto take = [&](std::size_t begin, std::size_t end) {
    if (is_first) {
      std::memcpy(to + begin, output + begin, (end - begin) * sizeof(float));
    } else {
      for (std::size_t i = begin; i < end; ++i) to[i] += output[i];
    }
  };
  take(0, host.elements / 2);
  host_work(batch == host.slow_batch ? host.slow_factor * host.store_length : host.store_length);
  take(host.elements / 2, host.elements);
}

void forget_results(const message& request, int batches) {
  fill(host.results, host.inputs->size(), output_poison(request));
  host.loads.begin(static_cast<std::size_t>(batches));
  host.stores.begin(static_cast<std::size_t>(batches));
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  batch_list work{};
  work.batches = static_cast<int>(request.integer("batches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.worker_count = static_cast<int>(request.integer("workers"));
  work.threads = static_cast<int>(request.integer("threads"));
  work.blocks = blocks_for(work.elements, work.threads);
  work.load = &load;
  work.store = &store;
  work.staging = space.pinned(work.elements, "staging");
  for (int index = 0; index < work.worker_count; ++index) {
    const std::string name = "workers[" + std::to_string(index) + "].";
    worker& added = work.workers[index];
    added.device_input = space.device(work.elements, name + "device_input");
    added.device_output = space.device(work.elements, name + "device_output");
    added.output = space.pinned(work.elements, name + "output");
  }
  host.space = &space;
  host.work = &work;
  host.inputs = &request.values<float>("input");
  host.elements = static_cast<std::size_t>(work.elements);

  const cudaStream_t stream = space.stream("calibration");
  const worker& first = work.workers[0];
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(stream, [&] {
      transform<<<work.blocks, work.threads, 0, stream>>>(first.device_input, first.device_output,
                                                          work.elements, cycles);
    });
  };
  const double unit_to_copy = request.number("unit_to_copy");
  const double kernel_units = request.number("kernel_units");
  const auto found = calibrated(request, answer, {"cycles", "unit_nanoseconds"}, [&] {
    const double unit = unit_to_copy * median_milliseconds(stream, [&] {
                          cudaMemcpyAsync(first.device_input, work.staging, work.elements * sizeof(float),
                                          cudaMemcpyHostToDevice, stream);
                        });
    return std::array{cycles_for(unit * kernel_units, 20'000, milliseconds_of_kernel), unit * 1e6};
  });
  work.cycles = static_cast<long long>(found[0]);
  const auto units = [&](const char* name) {
    return std::chrono::nanoseconds(static_cast<long long>(found[1] * request.number(name)));
  };
  host.load_length = units("load_units");
  host.store_length = units("store_units");
  host.slow_batch = request.integer("driver.slow_batch");
  host.slow_factor = request.integer("driver.slow_factor");

  forget_results(request, work.batches);
  space.poison(request);
  std::vector<float> results;
  cudaError_t error = cudaSuccess;
  learner_part([&] {
    error = process_batches(work);
    results = host.results;  // at once, as the contract says: nothing here waits first
  });
  answer.set("results", results);
  host.loads.answer_in(answer);
  host.stores.answer_in(answer);
  set_error(answer, "error", error);
  cudaDeviceSynchronize();

  batch_list too_large = work;
  too_large.batches = static_cast<int>(request.integer("driver.batches_that_cannot_be"));
  too_large.threads = static_cast<int>(request.integer("driver.threads_that_cannot_be"));
  forget_results(request, too_large.batches);
  part_of_call("too_large_launch", [&] { set_error(answer, "error.too_large", process_batches(too_large)); });
  cudaDeviceSynchronize();
  cudaGetLastError();  // what a call leaves behind belongs to that call alone
}
