// Feeds add_up() of lesson 02 from a request and hands back what it left in the result.
#include <cstdlib>

#include "exercise/drive_kit.h"
#include "pinned_memory.h"

using namespace exercise;

namespace {

// What the functions of the contract work with: they have no argument for it.
std::chrono::nanoseconds host_task_length{0};
const float* chunks_begin = nullptr;
std::size_t chunk_elements = 0;
noted_calls reads("read_chunk");

void host_task() { host_work(host_task_length); }

void read_chunk(int chunk, float* landing) {
  if (!reads.note(chunk)) return;
  std::memcpy(landing, chunks_begin + static_cast<std::size_t>(chunk) * chunk_elements,
              chunk_elements * sizeof(float));
}

/// Never freed: what a call leaves pinned must not be in the way of the next one's result.
float* ordinary_memory(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return static_cast<float*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
}

}  // namespace

void drive(const message& request, message& answer) {
  chunked_data data{};
  data.chunks = static_cast<int>(request.integer("chunks"));
  data.elements = static_cast<int>(request.integer("elements"));
  data.pinning_budget = static_cast<std::size_t>(request.integer("pinning_budget"));
  data.blocks = blocks_for(data.elements, threads_per_block);
  data.read_chunk = &read_chunk;
  data.host_task = &host_task;
  chunk_elements = static_cast<std::size_t>(data.elements);
  chunks_begin = request.values<float>("input").data();
  const std::size_t bytes = chunk_elements * sizeof(float);
  workspace space;
  data.result = ordinary_memory(bytes);
  name_memory(data.result, bytes, "result");
  data.device_chunk = space.device(chunk_elements, "device_chunk");
  data.device_sum = space.device(chunk_elements, "device_sum");
  data.stream = space.stream("data.stream");

  const double host_task_to_copy = request.number("host_task_to_copy");
  const double nanoseconds = calibrated(request, answer, "host_task_nanoseconds", [&] {
    workspace scratch;
    float* const pinned = scratch.pinned(chunk_elements, "");
    const auto copy = [&] {
      cudaMemcpyAsync(data.device_chunk, pinned, bytes, cudaMemcpyHostToDevice, data.stream);
    };
    return median_milliseconds(data.stream, copy) * host_task_to_copy * 1e6;
  });
  host_task_length = std::chrono::nanoseconds(static_cast<long long>(nanoseconds));
  std::memcpy(data.result, equal_floats(chunk_elements, output_poison(request)).data(), bytes);
  space.poison(request);

  std::vector<float> result = equal_floats(chunk_elements, 0);
  reads.begin(static_cast<std::size_t>(data.chunks));
  learner_part([&] {
    add_up(data);
    std::memcpy(result.data(), data.result,
                bytes);  // at once, as the contract says: nothing here waits first
  });
  answer.set("result", result);
  reads.answer_in(answer);
  cudaDeviceSynchronize();
}
