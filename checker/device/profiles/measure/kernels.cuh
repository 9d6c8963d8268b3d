// File: kernels.cuh. What kernels cost as a whole: an element-wise kernel over growing arrays, blocks that do
// nothing, a spin of clock64 cycles in real time. Not here: single instructions (arithmetic.cuh), gaps
// between operations (links.cuh). Example: measure::kernels();
#pragma once

#include "gate.cuh"

namespace measure {

__global__ void scale_and_shift(float a, float b, const float* x, float* y, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = a * x[i] + b;
}

/// The same with sixteen bytes an access and as many blocks as are resident: bound by memory alone.
__global__ void scale_and_shift_wide(float a, float b, const float4* x, float4* y, std::size_t count) {
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const float4 in = x[i];
    y[i] = {a * in.x + b, a * in.y + b, a * in.z + b, a * in.w + b};
  }
}

inline void element_wise(cudaStream_t stream) {
  constexpr std::size_t most_bytes = std::size_t(1) << 30;
  float* const x = on_device<float>(most_bytes / sizeof(float));
  float* const y = on_device<float>(most_bytes / sizeof(float));
  CHECKED(cudaMemset(x, 0x3c, most_bytes));
  std::vector<double> moved, duration;
  for (std::size_t bytes = std::size_t(64) << 10; bytes <= most_bytes; bytes *= 4) {
    const std::size_t count = bytes / sizeof(float);
    const double each = per_repetition_ns(
        stream,
        [&] { scale_and_shift<<<unsigned((count + 255) / 256), 256, 0, stream>>>(2.f, 1.f, x, y, count); },
        10, 11);
    const std::string key = "element_wise." + std::to_string(bytes);
    report(key + ".time", each, "ns", 11);
    report(key + ".bandwidth", 2.0 * double(bytes) / each, "GB/s", 11);
    const double wide = per_repetition_ns(
        stream,
        [&] {
          scale_and_shift_wide<<<unsigned(resident_threads() / 256), 256, 0, stream>>>(
              2.f, 1.f, reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), count / 4);
        },
        10, 11);
    report(key + ".wide_time", wide, "ns", 11);
    if (bytes >= (std::size_t(64) << 20)) moved.push_back(2.0 * double(bytes)), duration.push_back(wide);
  }
  const line_fit line = fit(moved, duration);
  report("element_wise.wide_fixed", line.constant, "ns", 11);
  report("memory_bandwidth", 1 / line.slope, "GB/s", 11);
  CHECKED(cudaFree(x));
  CHECKED(cudaFree(y));
}

inline void empty_blocks(cudaStream_t stream) {
  const double one = per_repetition_ns(stream, [&] { nothing<<<1, 32, 0, stream>>>(); });
  report("empty_kernel.one_block", one, "ns", 21);
  for (const int threads : {32, 256, 1024}) {
    constexpr int blocks = 65536;
    const double all = per_repetition_ns(
        stream, [&] { nothing<<<blocks, threads, 0, stream>>>(); }, 10, 11);
    report("block_dispatch." + std::to_string(threads) + "_threads", (all - one) / (blocks - 1), "ns/block",
           11);
  }
}

inline void spins(cudaStream_t stream) {
  stamps* const noted = noted_by_device<stamps>(1);
  for (const long long cycles : {10'000LL, 100'000LL, 1'000'000LL, 10'000'000LL}) {
    std::vector<double> duration, overshoot;
    for (int sample = -1; sample < 9; ++sample) {
      spin<<<1, 1, 0, stream>>>(cycles, noted);
      CHECKED(cudaStreamSynchronize(stream));
      if (sample < 0) continue;
      duration.push_back(double(noted->end - noted->begin));
      overshoot.push_back(double(noted->cycles) - double(cycles));
    }
    const std::string key = "spin." + std::to_string(cycles);
    report(key + ".time", middle(duration), "ns", duration.size());
    report(key + ".clock", double(cycles) / middle(duration) * 1e3, "MHz", duration.size());
    report(key + ".overshoot", middle(overshoot), "cycles", overshoot.size());
  }
  CHECKED(cudaFreeHost(noted));
}

/// Prints what whole kernels cost.
inline void kernels() {
  cudaStream_t stream;
  CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  element_wise(stream);
  empty_blocks(stream);
  spins(stream);
  CHECKED(cudaStreamDestroy(stream));
}

}  // namespace measure
