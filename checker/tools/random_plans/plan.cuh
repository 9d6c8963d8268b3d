// File: plan.cuh. A plan is a stream program as text: streams with their priorities, and operations in the
// order in which the host issues them. Here: reading plans, and running one on the GPU. Not here: which plans
// there are (make_plans.py), what is printed.
//
//     plan 7 gated        (or: plan 7 open)
//     stream 0            (its priority; one line for each stream; then its device, if that is not 0)
//     kernel 0 264 128 0 20000    (stream, blocks, threads, bytes of shared memory, nanoseconds of a block)
//     up 0 65536          (stream, bytes; also down, inside, memset; to the other device: push, from it: pull)
//     record 0 2          (stream, event; stamp: an event with timing)
//     wait 1 2            (stream, event)
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
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
  std::vector<int> devices;  ///< of the streams
  std::vector<operation> operations;

  bool has_two_devices() const {
    return std::count(devices.begin(), devices.end(), 0) < std::ptrdiff_t(devices.size());
  }
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
      if (!(words >> plans.back().devices.emplace_back())) words.clear();
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

/// Memory of one stream on each device: streams share none.
struct stream_memory {
  static constexpr std::size_t host_bytes = 8 << 20;
  static constexpr std::size_t device_bytes = 64 << 20;
  char* source = nullptr;
  char* result = nullptr;
  std::vector<char*> first, second;

  explicit stream_memory(int devices) : first(devices), second(devices) {
    CHECKED(cudaMallocHost(&source, host_bytes));
    CHECKED(cudaMallocHost(&result, host_bytes));
    std::memset(source, 1, host_bytes);
    for (int device = devices - 1; device >= 0; --device) {
      CHECKED(cudaSetDevice(device));
      CHECKED(cudaMalloc(&first[device], device_bytes));
      CHECKED(cudaMalloc(&second[device], device_bytes));
      CHECKED(cudaMemset(first[device], 1, device_bytes));
      CHECKED(cudaMemset(second[device], 2, device_bytes));
      CHECKED(cudaDeviceSynchronize());
    }
  }
  ~stream_memory() {
    cudaFreeHost(source), cudaFreeHost(result);
    for (char* memory : first) cudaFree(memory);
    for (char* memory : second) cudaFree(memory);
  }
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
};

/// Enough for each of the plans. With plans for two devices, each gets access to the other's memory.
inline std::deque<stream_memory> memory_for(const std::vector<plan>& plans) {
  std::size_t streams = 0;
  int devices = 1;
  for (const plan& each : plans) {
    streams = std::max(streams, each.priorities.size());
    if (each.has_two_devices()) devices = 2;
  }
  for (int device = devices - 1; devices > 1 && device >= 0; --device) {
    CHECKED(cudaSetDevice(device));
    CHECKED(cudaDeviceEnablePeerAccess(1 - device, 0));
  }
  std::deque<stream_memory> memory;
  for (std::size_t i = 0; i < streams; ++i) memory.emplace_back(devices);
  return memory;
}

/// Streams and events of one plan.
class running_plan {
 public:
  running_plan(const plan& steps, const std::deque<stream_memory>& memory) : plan_(steps), memory_(memory) {
    int clock_khz = 0;
    CHECKED(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    cycles_per_ns_ = clock_khz * 1e-6;
    for (std::size_t i = 0; i < plan_.priorities.size(); ++i) {
      use_device_of(i);
      streams_.emplace_back();
      CHECKED(cudaStreamCreateWithPriority(&streams_.back(), cudaStreamNonBlocking, plan_.priorities[i]));
      ends_.emplace_back();
      CHECKED(cudaEventCreate(&ends_.back()));
      if (begins_.try_emplace(plan_.devices[i], begin{i, nullptr}).second)
        CHECKED(cudaEventCreate(&begins_[plan_.devices[i]].event));
    }
    for (const operation& each : plan_.operations) {
      use_device_of(each.stream);
      if ((each.kind == "record" || each.kind == "stamp") && events_.count(each.event) == 0)
        CHECKED(cudaEventCreateWithFlags(&events_[each.event],
                                         each.kind == "stamp" ? cudaEventDefault : cudaEventDisableTiming));
    }
    CHECKED(cudaEventCreateWithFlags(&opened_, cudaEventDisableTiming));
    CHECKED(cudaMallocHost(&flag_, sizeof(int)));
  }
  ~running_plan() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (cudaEvent_t event : ends_) cudaEventDestroy(event);
    for (const auto& [id, event] : events_) cudaEventDestroy(event);
    for (const auto& [device, begin] : begins_) cudaEventDestroy(begin.event);
    cudaEventDestroy(opened_);
    cudaFreeHost(flag_);
  }
  running_plan(const running_plan&) = delete;
  running_plan& operator=(const running_plan&) = delete;

  /// Runs the plan once; microseconds from its begin on a device to the end of each stream there.
  std::vector<double> run() {
    *flag_ = 0;
    if (plan_.is_gated) hold<<<1, 1, 0, streams_[0]>>>(flag_);
    for (const auto& [device, begin] : begins_) {
      use_device_of(begin.stream);
      CHECKED(cudaEventRecord(begin.event, streams_[begin.stream]));
    }
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
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      use_device_of(i);
      CHECKED(cudaEventRecord(ends_[i], streams_[i]));
    }
    *static_cast<volatile int*>(flag_) = 1;
    for (cudaEvent_t end : ends_) CHECKED(cudaEventSynchronize(end));
    std::vector<double> result;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      float milliseconds = 0;
      CHECKED(cudaEventElapsedTime(&milliseconds, begins_.at(plan_.devices[i]).event, ends_[i]));
      result.push_back(milliseconds * 1e3);
    }
    return result;
  }

  /// Microseconds of the host in the call of each operation in the last run.
  const std::vector<double>& call_us() const { return call_us_; }

 private:
  struct begin {
    std::size_t stream = 0;  ///< the first of its device
    cudaEvent_t event = nullptr;
  };
  void use_device_of(std::size_t stream) {
    if (plan_.has_two_devices()) CHECKED(cudaSetDevice(plan_.devices[stream]));
  }
  void issue(const operation& step) {
    use_device_of(step.stream);
    const int device = plan_.devices[step.stream];
    cudaStream_t const stream = streams_[step.stream];
    const stream_memory& memory = memory_[step.stream];
    if (step.kind == "kernel") {
      spin<<<step.blocks, step.threads, step.bytes, stream>>>(
          static_cast<long long>(step.nanoseconds * cycles_per_ns_));
      CHECKED(cudaGetLastError());
    } else if (step.kind == "up") {
      CHECKED(
          cudaMemcpyAsync(memory.first[device], memory.source, step.bytes, cudaMemcpyHostToDevice, stream));
    } else if (step.kind == "down") {
      CHECKED(
          cudaMemcpyAsync(memory.result, memory.first[device], step.bytes, cudaMemcpyDeviceToHost, stream));
    } else if (step.kind == "inside") {
      CHECKED(cudaMemcpyAsync(memory.second[device], memory.first[device], step.bytes,
                              cudaMemcpyDeviceToDevice, stream));
    } else if (step.kind == "push") {
      CHECKED(cudaMemcpyPeerAsync(memory.second[1 - device], 1 - device, memory.first[device], device,
                                  step.bytes, stream));
    } else if (step.kind == "pull") {
      CHECKED(cudaMemcpyPeerAsync(memory.second[device], device, memory.first[1 - device], 1 - device,
                                  step.bytes, stream));
    } else if (step.kind == "memset") {
      CHECKED(cudaMemsetAsync(memory.second[device], 3, step.bytes, stream));
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
  const std::deque<stream_memory>& memory_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> ends_;
  std::map<int, cudaEvent_t> events_;
  std::map<int, begin> begins_;  ///< by device
  cudaEvent_t opened_ = nullptr;
  int* flag_ = nullptr;
  double cycles_per_ns_ = 0;
  std::vector<double> call_us_;
};

inline double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace random_plans
