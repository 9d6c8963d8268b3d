// File: distant.cuh. What a kernel's accesses to memory behind a link cost: pinned host memory, and the memory of a
// peer where there is one. The same kernels go over the device's own memory, for comparison.
// Not here: copies (copies.cuh, peers.cuh). Example: measure::distant();
#pragma once

#include <functional>

#include "copies.cuh"
#include "gate.cuh"
#include "kernels.cuh"

namespace measure {

/// Every thread reads `times` words, `stride` words from one thread to the next, and adds them up.
__global__ void read_words(const float* x, float* sum, std::size_t count, int stride, int times) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float total = 0;
  for (int time = 0; time < times; ++time) total += *const_cast<const volatile float*>(x + i * stride);
  sum[i] = total;
}

__global__ void write_words(float* x, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) x[i] = float(i);
}

/// One thread; each read tells where the next one is.
__global__ void read_chain(const int* next, int steps, int* last) {
  int at = 0;
  for (int step = 0; step < steps; ++step) at = next[at];
  *last = at;
}

struct distant_bench {
  cudaStream_t stream, other;
  float* device = on_device<float>(buffers::bytes / sizeof(float));
  float* second = on_device<float>(buffers::bytes / sizeof(float));
  float* pinned = noted_by_device<float>(buffers::bytes / sizeof(float));

  distant_bench() {
    CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECKED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  }
};

/// The kernels over memory at that place.
inline void accesses_to(distant_bench& bench, const std::string& place, float* memory) {
  constexpr int threads = 256;
  const auto told = [&](const std::string& key, const std::function<void()>& enqueue) {
    report("distant." + place + "." + key, per_repetition_ns(bench.stream, enqueue, 10, 11), "ns", 11);
  };
  for (const std::size_t bytes : {std::size_t(1) << 10, std::size_t(64) << 10, std::size_t(1) << 20, std::size_t(16) << 20,
                                  std::size_t(64) << 20}) {
    const std::size_t count = bytes / sizeof(float);
    const auto blocks = unsigned((count + threads - 1) / threads);
    const std::string size = std::to_string(bytes);
    told("read." + size, [&] { read_words<<<blocks, threads, 0, bench.stream>>>(memory, bench.second, count, 1, 1); });
    told("write." + size, [&] { write_words<<<blocks, threads, 0, bench.stream>>>(memory, count); });
    told("read_and_write." + size,
         [&] { scale_and_shift<<<blocks, threads, 0, bench.stream>>>(2.f, 1.f, memory, memory, count); });
    told("read_four_times." + size,
         [&] { read_words<<<blocks, threads, 0, bench.stream>>>(memory, bench.second, count, 1, 4); });
    told("read_every_eighth." + size,
         [&] { read_words<<<(blocks + 7) / 8, threads, 0, bench.stream>>>(memory, bench.second, count / 8, 8, 1); });
    told("read_wide." + size, [&] {
      scale_and_shift_wide<<<unsigned(resident_threads() / threads), threads, 0, bench.stream>>>(
          2.f, 1.f, reinterpret_cast<const float4*>(memory), reinterpret_cast<float4*>(bench.second), count / 4);
    });
  }
  for (const int steps : {1, 2, 4, 16, 64}) {
    CHECKED(cudaMemset(bench.second, 0, sizeof(int)));
    std::vector<int> next(65 * 1024, 0);
    for (int i = 0; i < 64; ++i) next[i * 1024] = (i + 1) * 1024;
    CHECKED(cudaMemcpy(memory, next.data(), next.size() * sizeof(int), cudaMemcpyDefault));
    told("read_chain." + std::to_string(steps), [&] {
      read_chain<<<1, 1, 0, bench.stream>>>(reinterpret_cast<const int*>(memory), steps, reinterpret_cast<int*>(bench.second));
    });
  }
}

/// A kernel that reads or writes pinned memory beside copies of as many bytes.
inline void accesses_beside_copies(distant_bench& bench) {
  constexpr std::size_t count = buffers::bytes / sizeof(float);
  constexpr int threads = 256;
  static cudaEvent_t forked, joined;
  CHECKED(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  float* const elsewhere = noted_by_device<float>(count);
  float* const copied = on_device<float>(count);
  const std::function<void()> nothing_at_all = [] {};
  const std::function<void()> reads = [&] {
    read_words<<<unsigned(count / threads), threads, 0, bench.stream>>>(bench.pinned, bench.second, count, 1, 1);
  };
  const std::function<void()> writes = [&] { write_words<<<unsigned(count / threads), threads, 0, bench.stream>>>(bench.pinned, count); };
  const std::function<void()> up = [&] {
    CHECKED(cudaMemcpyAsync(copied, elsewhere, buffers::bytes, cudaMemcpyHostToDevice, bench.other));
  };
  const std::function<void()> down = [&] {
    CHECKED(cudaMemcpyAsync(elsewhere, copied, buffers::bytes, cudaMemcpyDeviceToHost, bench.other));
  };
  const auto told = [&](const char* key, const std::function<void()>& kernel, const std::function<void()>& copy) {
    std::vector<double> samples;
    for (int sample = -1; sample < 9; ++sample) {
      const double once = gated_ns(bench.stream, [&] {
        CHECKED(cudaEventRecord(forked, bench.stream));
        CHECKED(cudaStreamWaitEvent(bench.other, forked, 0));
        kernel();
        copy();
        CHECKED(cudaEventRecord(joined, bench.other));
        CHECKED(cudaStreamWaitEvent(bench.stream, joined, 0));
      });
      if (sample >= 0) samples.push_back(once);
    }
    report(std::string("distant.together.") + key, middle(samples), "ns", samples.size());
  };
  told("read", reads, nothing_at_all);
  told("write", writes, nothing_at_all);
  told("up", nothing_at_all, up);
  told("down", nothing_at_all, down);
  told("read_up", reads, up);
  told("read_down", reads, down);
  told("write_up", writes, up);
  told("write_down", writes, down);
}

/// Prints what accesses to the memory of the device, of the host and of a peer cost.
inline void distant() {
  distant_bench bench;
  accesses_to(bench, "device", bench.device);
  accesses_to(bench, "pinned", bench.pinned);
  accesses_beside_copies(bench);
  int devices = 0, can = 0;
  CHECKED(cudaGetDeviceCount(&devices));
  if (devices > 1) CHECKED(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) {
    std::printf("# no peer\n");
    return;
  }
  CHECKED(cudaSetDevice(1));
  float* const memory = on_device<float>(buffers::bytes / sizeof(float));
  CHECKED(cudaSetDevice(0));
  CHECKED(cudaDeviceEnablePeerAccess(1, 0));
  accesses_to(bench, "peer", memory);
}

}  // namespace measure
