// concurrency.cu: sections conc, prio and hq: how many kernels run at once, who goes first, and who waits
// behind whom.
#include <algorithm>
#include <string>
#include <vector>

#include "ask.h"

namespace agreement {
namespace {

cudaEvent_t new_event() {
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  return event;
}

double between_ms(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

/// Host time of that many kernels of 5 ms, each in a stream of its own.
double side_by_side_us(const std::vector<cudaStream_t>& streams, std::size_t count) {
  return time_us([&] {
    for (std::size_t i = 0; i < count; ++i) spin(5000, streams[i]);
    CHECK(cudaDeviceSynchronize());
  });
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

void ask_about_attributes() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  answer_text("device.name", properties.name);
  answer_count("device.compute_capability", 10 * properties.major + properties.minor);
  answer_count("device.sms", attribute(cudaDevAttrMultiProcessorCount));
  answer_count("device.asyncEngineCount", attribute(cudaDevAttrAsyncEngineCount));
  answer_count("device.concurrentKernels", attribute(cudaDevAttrConcurrentKernels));
  answer_count("device.gpuOverlap", attribute(cudaDevAttrGpuOverlap));
  answer_count("device.clockKHz", attribute(cudaDevAttrClockRate));
  answer_count("device.maxThreadsPerSM", attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  answer_count("device.maxBlocksPerSM", attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
  answer_count("device.pageableMemoryAccess", attribute(cudaDevAttrPageableMemoryAccess));
  answer_count("device.concurrentManagedAccess", attribute(cudaDevAttrConcurrentManagedAccess));
}

}  // namespace

void ask_about_concurrency() {
  std::vector<cudaStream_t> streams(256);
  for (cudaStream_t& stream : streams) stream = non_blocking_stream();
  side_by_side_us(streams, streams.size());
  // The largest number that takes one turn and not two.
  std::size_t fits = 1, too_many = streams.size() + 1;
  while (too_many - fits > 1) {
    const std::size_t middle = (fits + too_many) / 2;
    (side_by_side_us(streams, middle) < 7500 ? fits : too_many) = middle;
  }
  answer_count("max_overlap", static_cast<long long>(fits));
  ask_about_attributes();
}

namespace {

constexpr int waves = 10;
constexpr double block_us = 1000;
constexpr unsigned blocks_per_wave_threads = 1024;

__global__ void spin_blocks(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

/// Ten waves of blocks at low priority; one wave at high priority comes while the third runs.
void ask_about_priorities() {
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t low, high;
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
  const unsigned wave = attribute(cudaDevAttrMultiProcessorCount) *
                        (attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / blocks_per_wave_threads);
  const auto launch = [&](unsigned blocks, double microseconds, cudaStream_t stream) {
    spin_blocks<<<blocks, blocks_per_wave_threads, 0, stream>>>(cycles_of(microseconds));
  };
  launch(1, 1, low);
  launch(1, 1, high);
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t const begin = new_event(), low_end = new_event(), high_end = new_event();
  CHECK(cudaEventRecord(begin, low));
  const double begun = now_us();
  launch(waves * wave, block_us, low);
  CHECK(cudaEventRecord(low_end, low));
  while (now_us() - begun < 2.5 * block_us) CHECK(cudaPeekAtLastError());
  launch(wave, block_us, high);
  CHECK(cudaEventRecord(high_end, high));
  CHECK(cudaDeviceSynchronize());
  const double high_end_ms = between_ms(begin, high_end);
  const double low_end_ms = between_ms(begin, low_end);
  answer_ms("high_start", high_end_ms - block_us / 1e3);
  answer_ms("high_end", high_end_ms);
  answer_ms("low_end", low_end_ms);
  // What is left of the low kernel then comes in full waves.
  answer_count("low_blocks_started_after_high_end",
               static_cast<long long>((low_end_ms - high_end_ms) * 1e3 / block_us * wave));
  answer_count("low_blocks", waves * wave);
}

namespace {

constexpr int stream_count = 32;
constexpr double kernel_ms = 2;

/// When the kernels end: the first of each stream, then the second of each; milliseconds.
struct ends {
  double first[stream_count];
  double second[stream_count];
};

int max_concurrency(const ends& result) {
  std::vector<std::pair<double, int>> changes;
  for (const double* const row : {result.first, result.second}) {
    for (int i = 0; i < stream_count; ++i) {
      changes.emplace_back(row[i] - kernel_ms + 0.1, +1);
      changes.emplace_back(row[i] - 0.1, -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  int running = 0, max_running = 0;
  for (const auto& [time, change] : changes) max_running = std::max(max_running, running += change);
  return max_running;
}

}  // namespace

/// Two kernels of 2 ms in each of 32 streams, stream after stream and then kernel after kernel.
void ask_about_queues() {
  std::vector<cudaStream_t> streams(stream_count);
  for (cudaStream_t& stream : streams) stream = non_blocking_stream();
  cudaStream_t const timer = non_blocking_stream();
  std::vector<cudaEvent_t> first(stream_count), second(stream_count);
  for (cudaEvent_t& event : first) event = new_event();
  for (cudaEvent_t& event : second) event = new_event();
  cudaEvent_t const begin = new_event();
  for (cudaStream_t stream : streams) spin(1, stream);
  CHECK(cudaDeviceSynchronize());

  const auto run = [&](bool is_depth_first) {
    CHECK(cudaEventRecord(begin, timer));
    for (int turn = 0; turn < 2 * stream_count; ++turn) {
      const int i = is_depth_first ? turn / 2 : turn % stream_count;
      const bool is_first = is_depth_first ? turn % 2 == 0 : turn < stream_count;
      spin(1e3 * kernel_ms, streams[i]);
      CHECK(cudaEventRecord(is_first ? first[i] : second[i], streams[i]));
    }
    CHECK(cudaDeviceSynchronize());
    ends result;
    for (int i = 0; i < stream_count; ++i) {
      result.first[i] = between_ms(begin, first[i]);
      result.second[i] = between_ms(begin, second[i]);
    }
    return result;
  };
  const auto total = [](const ends& result) {
    return *std::max_element(result.second, result.second + stream_count);
  };
  const ends depth = run(true);
  answer_ms("depth_first.total", total(depth));
  answer_count("depth_first.max_overlap", max_concurrency(depth));
  for (int i = 0; i < stream_count; ++i) {
    answer_count("depth_first.turn_of_stream_" + std::to_string(i),
                 static_cast<long long>((depth.first[i] - kernel_ms / 2) / kernel_ms));
  }
  const ends breadth = run(false);
  answer_ms("breadth_first.total", total(breadth));
  answer_count("breadth_first.max_overlap", max_concurrency(breadth));
}

}  // namespace agreement
