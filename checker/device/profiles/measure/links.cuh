// File: links.cuh. What lies between operations: kernel to kernel, copy to kernel and back, an event record
// or wait between them, a host function. Kernels note the device's global timer, so a gap is read, not
// inferred. Not here: the operations' own durations (kernels.cuh, copies.cuh). Example: measure::links();
#pragma once

#include <functional>

#include "gate.cuh"

namespace measure {

__global__ void timer_steps(int count, unsigned long long* smallest) {
  unsigned long long before = global_nanoseconds();
  for (int i = 0; i < count;) {
    const unsigned long long now = global_nanoseconds();
    if (now == before) continue;
    *smallest = i == 0 ? now - before : min(*smallest, now - before);
    before = now;
    ++i;
  }
}

/// Two streams, and pairs of kernels with something between, all enqueued behind a gate.
class link_bench {
 public:
  static constexpr int pairs = 30;
  static constexpr long long kernel_cycles = 20'000;
  cudaStream_t first, second;
  char* pinned = noted_by_device<char>(4 << 20);
  char* memory = on_device<char>(4 << 20);
  char* other_memory = on_device<char>(4 << 20);
  cudaEvent_t timed, untimed, done;

  link_bench() {
    CHECKED(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECKED(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECKED(cudaEventCreate(&timed));
    CHECKED(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECKED(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECKED(cudaEventRecord(done, first));
    CHECKED(cudaStreamSynchronize(first));
  }
  link_bench(const link_bench&) = delete;
  link_bench& operator=(const link_bench&) = delete;

  /// End of a kernel in `first` to the begin of the next kernel in `then`, with between() in the middle.
  double gap_ns(cudaStream_t then, const std::function<void()>& between) {
    std::vector<double> gaps;
    for (int sample = -1; sample < 7; ++sample) {
      holding_.close(first);
      for (int i = 0; i < pairs; ++i) {
        spin<<<1, 1, 0, first>>>(kernel_cycles, noted_ + 2 * i);
        between();
        spin<<<1, 1, 0, then>>>(kernel_cycles, noted_ + 2 * i + 1);
        if (then != first) {
          CHECKED(cudaEventRecord(back_, then));
          CHECKED(cudaStreamWaitEvent(first, back_, 0));
        }
      }
      holding_.open();
      CHECKED(cudaDeviceSynchronize());
      if (sample < 0) continue;
      for (int i = 0; i < pairs; ++i)
        gaps.push_back(double(noted_[2 * i + 1].begin) - double(noted_[2 * i].end));
    }
    return middle(gaps);
  }

  void copy(char* to, const char* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    CHECKED(cudaMemcpyAsync(to, from, bytes, kind, stream));
  }

 private:
  gate holding_;
  cudaEvent_t back_ = [] {
    cudaEvent_t event;
    CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
  }();
  stamps* noted_ = noted_by_device<stamps>(2 * pairs);
};

inline void copy_links(link_bench& bench) {
  constexpr std::size_t gaps = link_bench::pairs * 7;
  for (const std::size_t bytes : {std::size_t(4), std::size_t(64) << 10, std::size_t(1) << 20}) {
    const std::string size = std::to_string(bytes);
    const auto up = [&] {
      bench.copy(bench.memory, bench.pinned, bytes, cudaMemcpyHostToDevice, bench.first);
    };
    const auto down = [&] {
      bench.copy(bench.pinned, bench.memory, bytes, cudaMemcpyDeviceToHost, bench.first);
    };
    report("gap.kernel_h2d_kernel." + size, bench.gap_ns(bench.first, up), "ns", gaps);
    report("gap.kernel_d2h_kernel." + size, bench.gap_ns(bench.first, down), "ns", gaps);
    report("gap.kernel_d2d_kernel." + size,
           bench.gap_ns(bench.first,
                        [&] {
                          bench.copy(bench.other_memory, bench.memory, bytes, cudaMemcpyDeviceToDevice,
                                     bench.first);
                        }),
           "ns", gaps);
    report("gap.kernel_memset_kernel." + size,
           bench.gap_ns(bench.first, [&] { CHECKED(cudaMemsetAsync(bench.memory, 1, bytes, bench.first)); }),
           "ns", gaps);
    report("gap.kernel_h2d_h2d_kernel." + size, bench.gap_ns(bench.first, [&] { up(), up(); }), "ns", gaps);
    report("gap.kernel_h2d_d2h_kernel." + size, bench.gap_ns(bench.first, [&] { up(), down(); }), "ns", gaps);
    report("chain.h2d." + size, per_repetition_ns(bench.first, up), "ns", 21);
    report("chain.d2h." + size, per_repetition_ns(bench.first, down), "ns", 21);
    report("chain.h2d_d2h." + size, per_repetition_ns(bench.first, [&] { up(), down(); }), "ns", 21);
    report("chain.h2d_kernel." + size,
           per_repetition_ns(bench.first,
                             [&] {
                               up();
                               nothing<<<1, 32, 0, bench.first>>>();
                             }),
           "ns", 21);
    report("chain.h2d_two_streams." + size,
           per_repetition_ns(bench.first,
                             [&] {
                               up();
                               CHECKED(cudaEventRecord(bench.untimed, bench.first));
                               CHECKED(cudaStreamWaitEvent(bench.second, bench.untimed, 0));
                               bench.copy(bench.memory, bench.pinned, bytes, cudaMemcpyHostToDevice,
                                          bench.second);
                               CHECKED(cudaEventRecord(bench.timed, bench.second));
                               CHECKED(cudaStreamWaitEvent(bench.first, bench.timed, 0));
                             }),
           "ns", 21);
  }
}

inline void event_links(link_bench& bench) {
  constexpr std::size_t gaps = link_bench::pairs * 7;
  const auto record = [&](cudaEvent_t event) { CHECKED(cudaEventRecord(event, bench.first)); };
  const auto gap = [&](const char* key, cudaStream_t then, const std::function<void()>& between) {
    report(std::string("gap.kernel_") + key + "_kernel", bench.gap_ns(then, between), "ns", gaps);
  };
  report("kernel_gap", bench.gap_ns(bench.first, [] {}), "ns", gaps);
  gap("record", bench.first, [&] { record(bench.timed); });
  gap("record_untimed", bench.first, [&] { record(bench.untimed); });
  gap("ten_records", bench.first, [&] {
    for (int i = 0; i < 10; ++i) record(bench.timed);
  });
  gap("wait_for_done_event", bench.first, [&] { CHECKED(cudaStreamWaitEvent(bench.first, bench.done, 0)); });
  gap("record_wait_other_stream", bench.second, [&] {
    record(bench.timed);
    CHECKED(cudaStreamWaitEvent(bench.second, bench.timed, 0));
  });
  gap("record_untimed_wait_other_stream", bench.second, [&] {
    record(bench.untimed);
    CHECKED(cudaStreamWaitEvent(bench.second, bench.untimed, 0));
  });
  gap("host_function", bench.first, [&] {
    CHECKED(cudaLaunchHostFunc(
        bench.first, [](void*) {}, nullptr));
  });
  gap("two_host_functions", bench.first, [&] {
    for (int i = 0; i < 2; ++i)
      CHECKED(cudaLaunchHostFunc(
          bench.first, [](void*) {}, nullptr));
  });
  report("chain.kernel", per_repetition_ns(bench.first, [&] { nothing<<<1, 32, 0, bench.first>>>(); }), "ns",
         21);
  report("chain.event_record", per_repetition_ns(bench.first, [&] { record(bench.timed); }), "ns", 21);
  report("chain.host_function",
         per_repetition_ns(
             bench.first,
             [&] {
               CHECKED(cudaLaunchHostFunc(
                   bench.first, [](void*) {}, nullptr));
             },
             20),
         "ns", 21);
}

/// The smallest step of the timers, and what an event pair shows beyond the kernel between it.
inline void timers(link_bench& bench) {
  auto* const step = noted_by_device<unsigned long long>(1);
  timer_steps<<<1, 1>>>(1000, step);
  CHECKED(cudaDeviceSynchronize());
  report("global_timer_step", double(*step), "ns", 1000);
  stamps* const noted = noted_by_device<stamps>(1);
  std::vector<double> shown, excess, empty;
  for (int i = 0; i < 400; ++i) {
    shown.push_back(gated_ns(bench.first, [&] { spin<<<1, 1, 0, bench.first>>>(10'000 + 37 * i, noted); }));
    excess.push_back(shown.back() - double(noted->end - noted->begin));
    empty.push_back(gated_ns(bench.first, [] {}));
  }
  std::sort(shown.begin(), shown.end());
  double smallest = 1e9;
  for (std::size_t i = 1; i < shown.size(); ++i)
    if (shown[i] - shown[i - 1] > 0.5) smallest = std::min(smallest, shown[i] - shown[i - 1]);
  report("event_resolution", smallest, "ns", shown.size());
  report("event_pair.empty", middle(empty), "ns", empty.size());
  report("event_pair.beyond_kernel", middle(excess), "ns", excess.size());
}

/// Prints what lies between operations.
inline void links() {
  link_bench bench;
  timers(bench);
  event_links(bench);
  copy_links(bench);
}

}  // namespace measure
