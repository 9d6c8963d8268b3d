// File: plan.cuh. A plan is a stream program as text: streams with their priorities, and operations in the
// order in which the host issues them. Here: reading plans, and running one on the GPU. Not here: which plans
// there are (make_plans.py), what is printed.
//
//     plan 7 gated        (or: plan 7 open)
//     stream 0            (its priority; one line for each stream)
//     kernel 0 264 128 0 20000    (stream, blocks, threads, bytes of shared memory, nanoseconds of a block)
//     up 0 65536          (stream, bytes; also down, inside, memset)
//     record 0 2          (stream, event; stamp: an event with timing)
//     wait 1 2            (stream, event)
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace random_plans {

inline void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) random_plans::check((call), __LINE__)

struct operation {
  std::string kind;
  int stream = 0;
  std::size_t bytes = 0;  ///< copies, memsets; of shared memory: kernels
  int event = 0;
  unsigned blocks = 0;
  unsigned threads = 0;
  long long nanoseconds = 0;  ///< kernels: each block spins for so long
};

struct plan {
  int id = 0;
  bool is_gated = false;  ///< everything is issued before anything may start
  std::vector<int> priorities;
  std::vector<operation> operations;
};

/// The plans of a file, or only the one with that id.
inline std::vector<plan> read_plans(const char* file, int only = 0) {
  std::ifstream text(file);
  std::vector<plan> plans;
  std::string line;
  while (std::getline(text, line)) {
    std::istringstream words(line);
    std::string kind, mode;
    if (!(words >> kind) || kind.front() == '#') continue;
    operation added;
    added.kind = kind;
    if (kind == "plan") {
      plans.emplace_back();
      words >> plans.back().id >> mode;
      plans.back().is_gated = mode == "gated";
    } else if (kind == "stream") {
      plans.back().priorities.emplace_back();
      words >> plans.back().priorities.back();
    } else {
      words >> added.stream;
      if (kind == "kernel")
        words >> added.blocks >> added.threads >> added.bytes >> added.nanoseconds;
      else if (kind == "record" || kind == "stamp" || kind == "wait")
        words >> added.event;
      else
        words >> added.bytes;
      plans.back().operations.push_back(added);
    }
    if (words.fail()) {
      std::fprintf(stderr, "%s: cannot be read: %s\n", file, line.c_str());
      std::exit(1);
    }
  }
  const auto others = std::remove_if(plans.begin(), plans.end(),
                                     [=](const plan& each) { return only != 0 && each.id != only; });
  plans.erase(others, plans.end());
  return plans;
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Runs until flag[0] is set, or for some seconds.
__global__ void hold(volatile int* flag) {
  const long long begin = clock64();
  while (flag[0] == 0 && clock64() - begin < 6'000'000'000) {
  }
}

/// Memory of one stream: streams share none.
struct stream_memory {
  static constexpr std::size_t host_bytes = 8 << 20;
  static constexpr std::size_t device_bytes = 64 << 20;
  char* source = nullptr;
  char* result = nullptr;
  char* first = nullptr;
  char* second = nullptr;

  stream_memory() {
    CHECKED(cudaMallocHost(&source, host_bytes));
    CHECKED(cudaMallocHost(&result, host_bytes));
    CHECKED(cudaMalloc(&first, device_bytes));
    CHECKED(cudaMalloc(&second, device_bytes));
    std::memset(source, 1, host_bytes);
    CHECKED(cudaMemset(first, 1, device_bytes));
    CHECKED(cudaMemset(second, 2, device_bytes));
    CHECKED(cudaDeviceSynchronize());
  }
  ~stream_memory() {
    cudaFreeHost(source), cudaFreeHost(result);
    cudaFree(first), cudaFree(second);
  }
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
};

/// Enough for each of the plans.
inline std::vector<stream_memory> memory_for(const std::vector<plan>& plans) {
  std::size_t streams = 0;
  for (const plan& each : plans) streams = std::max(streams, each.priorities.size());
  return std::vector<stream_memory>(streams);
}

/// Streams and events of one plan.
class running_plan {
 public:
  running_plan(const plan& steps, const std::vector<stream_memory>& memory) : plan_(steps), memory_(memory) {
    int clock_khz = 0;
    CHECKED(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    cycles_per_ns_ = clock_khz * 1e-6;
    for (const int priority : plan_.priorities) {
      streams_.emplace_back();
      CHECKED(cudaStreamCreateWithPriority(&streams_.back(), cudaStreamNonBlocking, priority));
      ends_.emplace_back();
      CHECKED(cudaEventCreate(&ends_.back()));
    }
    for (const operation& each : plan_.operations) {
      if ((each.kind == "record" || each.kind == "stamp") && events_.count(each.event) == 0)
        CHECKED(cudaEventCreateWithFlags(&events_[each.event],
                                         each.kind == "stamp" ? cudaEventDefault : cudaEventDisableTiming));
    }
    CHECKED(cudaEventCreate(&begin_));
    CHECKED(cudaEventCreateWithFlags(&opened_, cudaEventDisableTiming));
    CHECKED(cudaMallocHost(&flag_, sizeof(int)));
  }
  ~running_plan() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (cudaEvent_t event : ends_) cudaEventDestroy(event);
    for (const auto& [id, event] : events_) cudaEventDestroy(event);
    cudaEventDestroy(begin_), cudaEventDestroy(opened_);
    cudaFreeHost(flag_);
  }
  running_plan(const running_plan&) = delete;
  running_plan& operator=(const running_plan&) = delete;

  /// Runs the plan once; microseconds from its begin to the end of each stream.
  std::vector<double> run() {
    *flag_ = 0;
    if (plan_.is_gated) hold<<<1, 1, 0, streams_[0]>>>(flag_);
    CHECKED(cudaEventRecord(begin_, streams_[0]));
    if (plan_.is_gated) {
      CHECKED(cudaEventRecord(opened_, streams_[0]));
      for (std::size_t i = 1; i < streams_.size(); ++i) CHECKED(cudaStreamWaitEvent(streams_[i], opened_, 0));
    }
    call_us_.clear();
    for (const operation& each : plan_.operations) {
      const auto called = std::chrono::steady_clock::now();
      issue(each);
      const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - called;
      call_us_.push_back(passed.count());
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) CHECKED(cudaEventRecord(ends_[i], streams_[i]));
    *static_cast<volatile int*>(flag_) = 1;
    CHECKED(cudaDeviceSynchronize());
    std::vector<double> result;
    for (cudaEvent_t end : ends_) {
      float milliseconds = 0;
      CHECKED(cudaEventElapsedTime(&milliseconds, begin_, end));
      result.push_back(milliseconds * 1e3);
    }
    return result;
  }

  /// Microseconds of the host in the call of each operation in the last run.
  const std::vector<double>& call_us() const { return call_us_; }

 private:
  void issue(const operation& step) {
    cudaStream_t const stream = streams_[step.stream];
    const stream_memory& memory = memory_[step.stream];
    if (step.kind == "kernel") {
      spin<<<step.blocks, step.threads, step.bytes, stream>>>(
          static_cast<long long>(step.nanoseconds * cycles_per_ns_));
      CHECKED(cudaGetLastError());
    } else if (step.kind == "up") {
      CHECKED(cudaMemcpyAsync(memory.first, memory.source, step.bytes, cudaMemcpyHostToDevice, stream));
    } else if (step.kind == "down") {
      CHECKED(cudaMemcpyAsync(memory.result, memory.first, step.bytes, cudaMemcpyDeviceToHost, stream));
    } else if (step.kind == "inside") {
      CHECKED(cudaMemcpyAsync(memory.second, memory.first, step.bytes, cudaMemcpyDeviceToDevice, stream));
    } else if (step.kind == "memset") {
      CHECKED(cudaMemsetAsync(memory.second, 3, step.bytes, stream));
    } else if (step.kind == "record" || step.kind == "stamp") {
      CHECKED(cudaEventRecord(events_.at(step.event), stream));
    } else if (step.kind == "wait") {
      CHECKED(cudaStreamWaitEvent(stream, events_.at(step.event), 0));
    } else {
      std::fprintf(stderr, "plan %d: unknown operation %s\n", plan_.id, step.kind.c_str());
      std::exit(1);
    }
  }

  const plan& plan_;
  const std::vector<stream_memory>& memory_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> ends_;
  std::map<int, cudaEvent_t> events_;
  cudaEvent_t begin_ = nullptr, opened_ = nullptr;
  int* flag_ = nullptr;
  double cycles_per_ns_ = 0;
  std::vector<double> call_us_;
};

inline double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace random_plans
