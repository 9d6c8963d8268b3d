// Feeds process_steps() of lesson 08 from a request and hands back what it stored.
#include "exercise/drive_kit.h"
#include "ring_of_buffers.h"

using namespace exercise;

namespace {

/// What load() and store() work with: the function pointers of the contract leave no room for it.
struct host_side {
  const workspace* space = nullptr;
  const ring* work = nullptr;
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  noted_calls loads{"load"};
  noted_calls stores{"store"};
  std::size_t elements = 0;
  std::chrono::nanoseconds load_length{0};
  std::chrono::nanoseconds store_length{0};
};

host_side host;

/// Whether the memory is that of a slot: the input, or the output.
bool is_in_slot(const float* memory, float* slot::*member) {
  const slot* const slots = host.work->slots;
  return std::any_of(slots, slots + host.work->slot_count,
                     [&](const slot& one) { return one.*member == memory; });
}

/// Half of the input is written at the beginning and the rest at the end: the buffer is in use all the time.
void load(int step, float* input) {
  if (!host.loads.note(step, host.space->name_of(input))) return;
  if (!is_in_slot(input, &slot::input)) host.loads.note_misplaced();
  const float* const from = host.inputs->data() + static_cast<std::size_t>(step) * host.elements;
  const std::size_t half = host.elements / 2;
  std::memcpy(input, from, half * sizeof(float));
  host_work(host.load_length);
  std::memcpy(input + half, from + half, (host.elements - half) * sizeof(float));
}

/// Reads half of the result at the beginning and the rest at the end. A step stored again is added to what it
/// left the first time, so that it shows.
void store(int step, const float* output) {
  if (!host.stores.note(step)) return;
  if (!is_in_slot(output, &slot::output)) host.stores.note_misplaced();
  note_source("results", static_cast<std::size_t>(step) * host.elements, host.space->name_of(output));
  float* const to = host.results.data() + static_cast<std::size_t>(step) * host.elements;
  const bool is_first = host.stores.count(step) == 1;
  const auto take = [&](std::size_t begin, std::size_t end) {
    if (is_first) {
      std::memcpy(to + begin, output + begin, (end - begin) * sizeof(float));
    } else {
      for (std::size_t i = begin; i < end; ++i) to[i] += output[i];
    }
  };
  take(0, host.elements / 2);
  host_work(host.store_length);
  take(host.elements / 2, host.elements);
}

/// Cycles of a long and of a short kernel.
struct kernel_cycles {
  double of_long = 0;
  double of_short = 0;
};

/// Chooses the lengths of long and short kernels, load() and store() relative to the copy of a step.
kernel_cycles calibrate(const ring& work, const message& request, message& answer) {
  const double unit_to_copy = request.number("unit_to_copy");
  const double long_units = request.number("long_units");
  const double short_units = request.number("short_units");
  const slot& first = work.slots[0];
  const auto copy = [&] {
    cudaMemcpyAsync(first.device_input, first.input, work.elements * sizeof(float), cudaMemcpyHostToDevice,
                    work.compute);
  };
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(work.compute, [&] {
      transform<<<work.blocks, threads_per_block, 0, work.compute>>>(first.device_input, first.device_output,
                                                                     work.elements, cycles);
    });
  };
  const auto found = calibrated(request, answer, {"long_cycles", "short_cycles", "unit_nanoseconds"}, [&] {
    const double unit = median_milliseconds(work.compute, copy) * unit_to_copy;
    return std::array{cycles_for(unit * long_units, 20'000, milliseconds_of_kernel),
                      cycles_for(unit * short_units, 20'000, milliseconds_of_kernel), unit * 1e6};
  });
  const auto units = [&](const char* name) {
    return std::chrono::nanoseconds(static_cast<long long>(found[2] * request.number(name)));
  };
  host.load_length = units("load_units");
  host.store_length = units("store_units");
  return {found[0], found[1]};
}

/// The cycles of each step: every `long_every`th is long, beginning with the first.
std::vector<long long> cycles_of_steps(int steps, std::int64_t long_every, const kernel_cycles& cycles) {
  std::vector<long long> all;
  for (int step = 0; step < steps; ++step) {
    all.push_back(static_cast<long long>(step % long_every == 0 ? cycles.of_long : cycles.of_short));
  }
  return all;
}

void forget_results(const message& request, int steps) {
  fill(host.results, host.inputs->size(), output_poison(request));
  host.loads.begin(static_cast<std::size_t>(steps));
  host.stores.begin(static_cast<std::size_t>(steps));
}

/// Each setting of the request in a part of its own: so many slots, and long kernels of that many units, with short
/// ones that keep the average. Poison first: what a setting leaves undone must not be there from the one before.
void sweep(ring& work, workspace& space, const kernel_cycles& cycles, const message& request,
           message& answer) {
  const auto& slots = request.values<std::int64_t>("sweep.slots");
  const auto& longest = request.values<std::int64_t>("sweep.longest");
  const double long_units = request.number("long_units");
  const double short_units = request.number("short_units");
  const double cycles_a_unit = (cycles.of_long - cycles.of_short) / (long_units - short_units);
  const double average = (cycles.of_long + cycles.of_short) / 2;
  std::vector<std::int64_t> digests;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    space.poison(request);
    forget_results(request, work.steps);
    const double apart = (static_cast<double>(longest[i]) - (long_units + short_units) / 2) * cycles_a_unit;
    const auto cycles_now = cycles_of_steps(work.steps, 2, {average + apart, average - apart});
    work.cycles = space.plain(cycles_now, "cycles");
    work.slot_count = static_cast<int>(slots[i]);
    part("sweep " + std::to_string(i), [&] { process_steps(work); });
    digests.push_back(digest(host.results.data(), host.results.size() * sizeof(float)));
    cudaDeviceSynchronize();
  }
  answer.set("sweep.digests", digests);
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  ring work{};
  work.steps = static_cast<int>(request.integer("steps"));
  work.elements = static_cast<int>(request.integer("elements"));
  const bool is_sweep = request.has("sweep.slots");
  work.slot_count = static_cast<int>(request.integer("slots"));
  if (is_sweep) work.slot_count = max_slots;
  const std::int64_t long_every = request.integer("driver.long_every");
  work.upload = space.stream("upload");
  work.compute = space.stream("compute");
  work.download = space.stream("download");
  work.blocks = blocks_for(work.elements, threads_per_block);
  work.load = &load;
  work.store = &store;
  const int slots_made = work.slot_count;
  for (int i = 0; i < slots_made; ++i) {
    const std::string name = "slots[" + std::to_string(i) + "].";
    slot& added = work.slots[i];
    added.input = space.pinned(work.elements, name + "input");
    added.device_input = space.device(work.elements, name + "device_input");
    added.device_output = space.device(work.elements, name + "device_output");
    added.output = space.pinned(work.elements, name + "output");
    cudaEventCreateWithFlags(&added.event, cudaEventDisableTiming);
  }
  host.space = &space;
  host.work = &work;
  host.inputs = &request.values<float>("input");
  host.elements = static_cast<std::size_t>(work.elements);

  const kernel_cycles cycles = calibrate(work, request, answer);
  if (is_sweep) {
    sweep(work, space, cycles, request, answer);
  } else {
    const auto cycles_now = cycles_of_steps(work.steps, long_every, cycles);
    work.cycles = space.plain(cycles_now, "cycles");
    forget_results(request, work.steps);
    space.poison(request);
    std::vector<float> results;
    learner_part([&] {
      process_steps(work);
      results = host.results;  // at once, as the contract says: nothing here waits first
    });
    answer.set("results", results);
    answer.set("cycles", std::vector<std::int64_t>(cycles_now.begin(), cycles_now.end()));
    host.loads.answer_in(answer);
    host.stores.answer_in(answer);
  }
  cudaDeviceSynchronize();
  for (int i = 0; i < slots_made; ++i) cudaEventDestroy(work.slots[i].event);
}
