// File: facts.cuh. How a measurement is checked, summarised and printed: `key value unit n=samples` a line.
// Not here: the measurements.
//     report("kernel_gap", middle(samples), "ns", samples.size());
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace measure {

/// Ends the program with the call and its line when a CUDA call failed: a number after an error means
/// nothing.
inline void check(cudaError_t status, const char* call, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) ::measure::check((call), #call, __LINE__)

/// Ends the program with a reason when what was measured cannot be what was meant.
inline void require(bool holds, const char* reason) {
  if (holds) return;
  std::fprintf(stderr, "not measurable: %s\n", reason);
  std::exit(1);
}

/// Mean of the middle half of the samples: as robust as a median, and finer than a coarse clock.
inline double middle(std::vector<double> samples) {
  require(!samples.empty(), "no samples");
  std::sort(samples.begin(), samples.end());
  const std::size_t cut = samples.size() / 4;
  double sum = 0;
  for (std::size_t i = cut; i < samples.size() - cut; ++i) sum += samples[i];
  return sum / static_cast<double>(samples.size() - 2 * cut);
}

/// Prints one fact. `samples` is how many measurements the value stands for.
inline void report(const std::string& key, double value, const char* unit, std::size_t samples) {
  std::printf("%s %.6g %s n=%zu\n", key.c_str(), value, unit, samples);
  std::fflush(stdout);
}

/// Nanoseconds of the host's steady clock.
inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Device memory for so many elements, kept until the program ends unless freed.
template <class Element>
Element* on_device(std::size_t count) {
  Element* memory = nullptr;
  CHECKED(cudaMalloc(&memory, count * sizeof(Element)));
  return memory;
}

/// Pinned host memory that kernels write their notes to.
template <class Element>
Element* noted_by_device(std::size_t count) {
  Element* memory = nullptr;
  CHECKED(cudaMallocHost(&memory, count * sizeof(Element)));
  return memory;
}

inline int multiprocessors() {
  int count = 0;
  CHECKED(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// Threads that the whole device holds at once.
inline std::size_t resident_threads() {
  int count = 0;
  CHECKED(cudaDeviceGetAttribute(&count, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  return std::size_t(count) * multiprocessors();
}

struct line_fit {
  double constant;  ///< value at zero
  double slope;     ///< change a unit of x
};

/// The straight line of least relative squares through the points: small and large sizes count alike.
inline line_fit fit(const std::vector<double>& x, const std::vector<double>& y) {
  double weight = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double w = 1 / (y[i] * y[i]);
    weight += w, wx += w * x[i], wy += w * y[i], wxx += w * x[i] * x[i], wxy += w * x[i] * y[i];
  }
  const double slope = (weight * wxy - wx * wy) / (weight * wxx - wx * wx);
  return {(wy - slope * wx) / weight, slope};
}

}  // namespace measure
