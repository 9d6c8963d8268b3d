// Feeds process_round() of lesson 11 from a request and hands back what it left in the results of each round.
#include "exercise/drive_kit.h"
#include "stream_ordered_memory.h"

using namespace exercise;

namespace {

/// A pool of this call alone, from which cudaMallocAsync takes its memory meanwhile.
class pool_of_this_call {
 public:
  pool_of_this_call() {
    cudaDeviceGetMemPool(&usual_, 0);
    std::uint64_t none = 0;  // whatever an earlier call has set
    cudaMemPoolSetAttribute(usual_, cudaMemPoolAttrReleaseThreshold, &none);
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPoolCreate(&pool_, &properties);
    cudaDeviceSetMemPool(0, pool_);
  }
  pool_of_this_call(const pool_of_this_call&) = delete;
  pool_of_this_call& operator=(const pool_of_this_call&) = delete;
  ~pool_of_this_call() {
    cudaDeviceSetMemPool(0, usual_);
    cudaMemPoolDestroy(pool_);
  }
  cudaMemPool_t handle() const { return pool_; }
  std::int64_t release_threshold() const { return release_threshold_of(pool_); }
  /// Of the pool that no call here is about.
  std::int64_t usual_release_threshold() const { return release_threshold_of(usual_); }

 private:
  /// No more than fits into the answer.
  static std::int64_t release_threshold_of(cudaMemPool_t pool) {
    std::uint64_t bytes = 0;
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
    return static_cast<std::int64_t>(std::min(bytes, std::uint64_t{INT64_MAX}));
  }

  cudaMemPool_t usual_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
};

/// The same kernels with memory that is there already: what the check compares the time of the calls with.
void queue_round(const piece_round& work, float* between) {
  for (int piece = 0; piece < work.pieces; ++piece) {
    produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input + work.first[piece], between,
                                                                  work.elements[piece], work.cycles);
    cudaEventRecord(work.event, work.producer);
    cudaStreamWaitEvent(work.consumer, work.event, 0);
    consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output + work.first[piece],
                                                                  work.elements[piece], work.cycles);
  }
  cudaMemcpyAsync(work.results, work.output, work.total * sizeof(float), cudaMemcpyDeviceToHost,
                  work.consumer);
  cudaStreamSynchronize(work.consumer);
}

/// A kernel takes `kernel_to_calls` times as long as the calls that queue a piece.
long long calibrate(const piece_round& work, float* between, const message& request, message& answer) {
  const double kernel_to_calls = request.number("kernel_to_calls");
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(work.producer, [&] {
      produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input, between, work.elements[0],
                                                                    cycles);
    });
  };
  return static_cast<long long>(calibrated(request, answer, "cycles", [&] {
    const double calls = median_of_three([&] {
      const double length = host_nanoseconds([&] {
        produce<<<work.blocks, threads_per_block, 0, work.producer>>>(work.input, between, work.elements[0],
                                                                      0);
        cudaEventRecord(work.event, work.producer);
        cudaStreamWaitEvent(work.consumer, work.event, 0);
        consume<<<work.blocks, threads_per_block, 0, work.consumer>>>(between, work.output, work.elements[0],
                                                                      0);
      });
      cudaDeviceSynchronize();
      return length;
    });
    return cycles_for(calls * kernel_to_calls / 1e6, 20'000, milliseconds_of_kernel);
  }));
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  const auto numbers = [&](const char* name) {
    const auto& found = request.values<std::int64_t>(name);
    return std::vector<int>(found.begin(), found.end());
  };
  const std::vector<int> elements = numbers("elements");
  std::vector<int> first;
  piece_round work{};
  for (const int count : elements) {
    first.push_back(work.total);
    work.total += count;
  }
  const std::vector<float>& input = request.values<float>("input");
  const int rounds = static_cast<int>(request.integer("rounds"));
  work.pieces = static_cast<int>(elements.size());
  work.elements = space.plain(elements, "elements");
  work.first = space.plain(first, "first");
  work.budget = static_cast<std::size_t>(request.integer("budget"));
  work.blocks = static_cast<int>(request.integer("blocks"));
  work.producer = space.stream("producer");
  work.consumer = space.stream("consumer");
  cudaEventCreateWithFlags(&work.event, cudaEventDisableTiming);
  float* const inputs = space.device(input.size(), "input");
  work.input = inputs;
  work.output = space.device(work.total, "output");
  work.results = space.pinned(work.total, "results");
  float* const between = space.device(work.total, "calibration");
  work.cycles = calibrate(work, between, request, answer);
  part_of_call("rounds without memory", [&] {
    for (int round = 0; round < rounds; ++round) queue_round(work, between);
  });
  space.poison(request);
  cudaMemcpy(inputs, input.data(), input.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();

  std::vector<float> results = equal_floats(input.size(), output_poison(request));
  {
    const pool_of_this_call pool;
    std::vector<std::int64_t> thresholds;  // after prepare_pool(), and after each round
    learner_part([&] {
      part_of_call("prepare_pool", [&] { prepare_pool(pool.handle()); });
      thresholds.push_back(pool.release_threshold());
      for (int round = 0; round < rounds; ++round) {
        work.input = inputs + static_cast<std::size_t>(round) * work.total;
        part_of_call("round " + std::to_string(round + 1), [&] { process_round(work); });
        thresholds.push_back(pool.release_threshold());
        const std::size_t first_of_round = static_cast<std::size_t>(round) * work.total;
        note_source("results", first_of_round, "results");
        std::memcpy(results.data() + first_of_round, work.results,
                    work.total * sizeof(float));  // at once, as the contract says
      }
    });
    cudaDeviceSynchronize();
    answer.set("release_threshold", thresholds);
    answer.set("release_threshold.of_another_pool", pool.usual_release_threshold());
  }
  answer.set("results", results);
  cudaEventDestroy(work.event);
}
