// Feeds process_film() of lesson 14 from a request and hands back what it stored.
#include "detective.h"
#include "exercise/drive_kit.h"

using namespace exercise;

namespace {

/// What load() and store() work with: the function pointers of the contract leave no room for it.
struct host_side {
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  noted_calls loads{"load"};
  noted_calls stores{"store"};
  std::size_t elements = 0;
  std::chrono::nanoseconds load_length{0};
  std::chrono::nanoseconds store_length{0};
};

host_side host;

/// Half of the input is written at the beginning and the rest at the end: the buffer is in use all the time.
void load(int frame, float* input) {
  if (!host.loads.note(frame)) return;
  const float* const from = host.inputs->data() + static_cast<std::size_t>(frame) * host.elements;
  const std::size_t half = host.elements / 2;
  std::memcpy(input, from, half * sizeof(float));
  host_work(host.load_length);
  std::memcpy(input + half, from + half, (host.elements - half) * sizeof(float));
}

/// Reads half of the result at the beginning and the rest at the end. A frame stored again is added to what it
/// left the first time, so that it shows.
void store(int frame, const float* output) {
  if (!host.stores.note(frame)) return;
  note_source("results", static_cast<std::size_t>(frame) * host.elements, "");  // the learner's own memory
  float* const to = host.results.data() + static_cast<std::size_t>(frame) * host.elements;
  const bool is_first = host.stores.count(frame) == 1;
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

/// Chooses the lengths of all kernels, load() and store() relative to the copy of a frame.
void calibrate(film& work, const message& request, message& answer) {
  workspace space;
  const float* const pinned = space.pinned(work.elements, "calibration.pinned");
  float* const from = space.device(work.elements, "calibration.from");
  float* const weights = space.device(work.elements, "calibration.weights");
  float* const to = space.device(work.elements, "calibration.to");
  const cudaStream_t stream = space.stream("calibration");
  space.poison(request);
  const auto copy = [&] {
    cudaMemcpyAsync(from, pinned, work.elements * sizeof(float), cudaMemcpyHostToDevice, stream);
  };
  const auto cycles = [&](double milliseconds, auto launch) {
    const auto measure = [&](long long count) { return median_milliseconds(stream, [&] { launch(count); }); };
    return cycles_for(milliseconds, 20'000, measure);
  };
  const auto launch_prepare = [&](long long count) {
    prepare<<<work.blocks, threads_per_block, 0, stream>>>(weights, work.gain, work.elements, count);
  };
  const auto launch_survey = [&](long long count) {
    survey<<<survey_blocks, threads_per_block, 0, stream>>>(weights, to, work.elements, count);
  };
  const auto launch_clean = [&](long long count) {
    clean<<<work.blocks, threads_per_block, 0, stream>>>(from, weights, to, work.elements, count);
  };
  const auto launch_sharpen = [&](long long count) {
    sharpen<<<work.blocks, threads_per_block, 0, stream>>>(from, to, work.elements, count);
  };
  const double unit_to_copy = request.number("unit_to_copy");
  const double prepare_units = request.number("prepare_units");
  const double survey_units = request.number("survey_units");
  const double clean_units = request.number("clean_units");
  const double sharpen_units = request.number("sharpen_units");
  const auto found = calibrated(
      request, answer,
      {"prepare_cycles", "survey_cycles", "clean_cycles", "sharpen_cycles", "unit_nanoseconds"}, [&] {
        const double unit = median_milliseconds(stream, copy) * unit_to_copy;
        return std::array{cycles(unit * prepare_units, launch_prepare),
                          cycles(unit * survey_units, launch_survey),
                          cycles(unit * clean_units, launch_clean),
                          cycles(unit * sharpen_units, launch_sharpen), unit * 1e6};
      });
  work.prepare_cycles = static_cast<long long>(found[0]);
  work.survey_cycles = static_cast<long long>(found[1]);
  work.clean_cycles = static_cast<long long>(found[2]);
  work.sharpen_cycles = static_cast<long long>(found[3]);
  const auto units = [&](const char* name) {
    return std::chrono::nanoseconds(static_cast<long long>(found[4] * request.number(name)));
  };
  host.load_length = units("load_units");
  host.store_length = units("store_units");
  cudaDeviceSynchronize();
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  film work{};
  work.frames = static_cast<int>(request.integer("frames"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.gain = static_cast<float>(request.number("gain"));
  work.blocks = blocks_for(work.elements, threads_per_block);
  work.load = &load;
  work.store = &store;
  calibrate(work, request, answer);
  work.survey = space.pinned(work.elements, "survey");
  space.poison(request);

  host.inputs = &request.values<float>("input");
  host.elements = static_cast<std::size_t>(work.elements);
  fill(host.results, host.inputs->size(), output_poison(request));
  host.loads.begin(static_cast<std::size_t>(work.frames));
  host.stores.begin(static_cast<std::size_t>(work.frames));
  std::vector<float> results;
  std::vector<float> survey_result = equal_floats(host.elements, 0);
  learner_part([&] {
    process_film(work);
    results = host.results;  // at once, as the contract says: nothing here waits first
    std::memcpy(survey_result.data(), work.survey, survey_result.size() * sizeof(float));
  });
  answer.set("results", results);
  host.loads.answer_in(answer);
  host.stores.answer_in(answer);
  answer.set("survey", survey_result);
  cudaDeviceSynchronize();
}
