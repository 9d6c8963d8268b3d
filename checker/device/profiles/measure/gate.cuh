// File: gate.cuh. What lets device time be seen without host time: a gate that holds a stream until all is
// enqueued, kernels that note when they began and ended, and what one repetition adds to a chain behind it.
// Not here: what is enqueued.
//     double each = per_repetition_ns(stream, [&] { nothing<<<1, 32, 0, stream>>>(); });
#pragma once

#include "facts.cuh"

namespace measure {

constexpr long long give_up_cycles =
    6'000'000'000;  // some seconds: a gate that nobody opens must not hang the device

__device__ inline unsigned long long global_nanoseconds() {
  unsigned long long value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

/// Runs until flag[0] is set; sets flag[1] when it gave up.
__global__ void hold(volatile int* flag) {
  const long long begin = clock64();
  while (flag[0] == 0) {
    if (clock64() - begin > give_up_cycles) {
      flag[1] = 1;
      return;
    }
  }
}

__global__ void nothing() {}

struct stamps {
  unsigned long long begin;   ///< nanoseconds of the device's global timer
  unsigned long long end;     ///< the same, when the spin was over
  unsigned long long cycles;  ///< clock64 cycles between both
};

/// Spins for so many cycles in one thread and notes when.
__global__ void spin(long long cycles, stamps* noted) {
  const unsigned long long begin_ns = global_nanoseconds();
  const long long begin = clock64();
  long long passed = 0;
  while (passed < cycles) passed = clock64() - begin;
  noted->begin = begin_ns;
  noted->end = global_nanoseconds();
  noted->cycles = passed;
}

/// Holds a stream from close() until open().
class gate {
 public:
  gate() { CHECKED(cudaMallocHost(&flag_, 2 * sizeof(int))); }
  ~gate() { cudaFreeHost(const_cast<int*>(flag_)); }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  void close(cudaStream_t stream) {
    flag_[0] = 0;
    flag_[1] = 0;
    hold<<<1, 1, 0, stream>>>(flag_);
    CHECKED(cudaGetLastError());
  }
  /// Ends the program when the gate had given up: then host time was in the measurement.
  void open() {
    require(flag_[1] == 0, "the gate gave up before everything was enqueued");
    flag_[0] = 1;
  }

 private:
  volatile int* flag_ = nullptr;
};

/// The gate and the two events that every gated measurement shares: one is in progress at a time.
struct gated_clock {
  gate holding;
  cudaEvent_t begin = nullptr, end = nullptr;

  gated_clock() {
    CHECKED(cudaEventCreate(&begin));
    CHECKED(cudaEventCreate(&end));
  }
};

inline gated_clock& shared_clock() {
  static gated_clock* const clock =
      new gated_clock;  // never freed: the device is gone when static objects end
  return *clock;
}

/// Device time between two events around what enqueue() puts into the stream, everything enqueued beforehand.
/// What before() enqueues is not counted: it brings the stream to the engine that is meant.
template <class Enqueue, class Before>
double gated_ns(cudaStream_t stream, Enqueue enqueue, Before before) {
  auto& [holding, begin, end] = shared_clock();
  holding.close(stream);
  before();
  CHECKED(cudaEventRecord(begin, stream));
  enqueue();
  CHECKED(cudaEventRecord(end, stream));
  holding.open();
  CHECKED(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CHECKED(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds * 1e6;
}

template <class Enqueue>
double gated_ns(cudaStream_t stream, Enqueue enqueue) {
  return gated_ns(stream, enqueue, [] {});
}

/// What one more enqueue() costs in a chain of them, from chains of `repetitions` and of twice as many.
template <class Enqueue>
double per_repetition_ns(cudaStream_t stream, Enqueue enqueue, int repetitions = 40, int samples = 21) {
  std::vector<double> slopes;
  enqueue();
  CHECKED(cudaStreamSynchronize(stream));
  for (int sample = 0; sample < samples; ++sample) {
    const auto chain = [&](int count) {
      return gated_ns(stream, [&] {
        for (int i = 0; i < count; ++i) enqueue();
      });
    };
    const double once = chain(repetitions);
    slopes.push_back((chain(2 * repetitions) - once) / repetitions);
  }
  return middle(slopes);
}

}  // namespace measure
