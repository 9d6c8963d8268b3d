// File: copies.cuh. What copies and memsets cost: latency and bandwidth of each direction, both directions at
// once, pageable memory and how much of it a call takes in without waiting. Not here: gaps between operations
// (links.cuh), allocation (host_calls.cuh). Example: measure::copies();
#pragma once

#include <cstring>

#include "gate.cuh"

namespace measure {

struct buffers {
  static constexpr std::size_t bytes = std::size_t(256) << 20;
  char* pinned_in = noted_by_device<char>(bytes);
  char* pinned_out = noted_by_device<char>(bytes);
  char* first = on_device<char>(bytes);
  char* second = on_device<char>(bytes);
  std::vector<char> pageable = std::vector<char>(bytes, 1);

  buffers() { std::memset(pinned_in, 1, bytes), std::memset(pinned_out, 1, bytes); }
  ~buffers() {
    cudaFreeHost(pinned_in), cudaFreeHost(pinned_out);
    cudaFree(first), cudaFree(second);
  }
  buffers(const buffers&) = delete;
  buffers& operator=(const buffers&) = delete;
};

/// Time of one operation between two events, less the time of two events with nothing between: after another
/// of its kind, and after a kernel (the handover to another engine in it); and what it adds to a chain of its
/// kind.
template <class Enqueue>
void sizes(const char* name, cudaStream_t stream, Enqueue enqueue) {
  std::vector<double> bytes_of, alone_of, chained_of;
  const auto another = [&] { enqueue(std::size_t(64) << 10); };
  const auto typical = [&](auto enqueued, auto before) {
    std::vector<double> samples;
    for (int sample = 0; sample < 21; ++sample) samples.push_back(gated_ns(stream, enqueued, before));
    return middle(samples);
  };
  const double pair = typical([] {}, another);
  const double pair_after_kernel = typical([] {}, [] {});
  for (std::size_t bytes = 4096; bytes <= buffers::bytes; bytes *= 4) {
    const auto one = [&] { enqueue(bytes); };
    const double alone = typical(one, another) - pair;
    const double after_kernel = typical(one, [] {}) - pair_after_kernel;
    const double chained = per_repetition_ns(stream, one, 5, 9);
    const std::string key = std::string(name) + "." + std::to_string(bytes);
    report(key + ".alone", alone, "ns", 21);
    report(key + ".after_kernel", after_kernel, "ns", 21);
    report(key + ".in_chain", chained, "ns", 9);
    bytes_of.push_back(double(bytes)), alone_of.push_back(alone), chained_of.push_back(chained);
  }
  const line_fit alone = fit(bytes_of, alone_of), chained = fit(bytes_of, chained_of);
  report(std::string(name) + ".event_pair", pair, "ns", 21);
  report(std::string(name) + ".latency", alone.constant, "ns", 21);
  report(std::string(name) + ".bandwidth", 1 / alone.slope, "GB/s", 21);
  report(std::string(name) + ".chain_latency", chained.constant, "ns", 9);
  report(std::string(name) + ".chain_bandwidth", 1 / chained.slope, "GB/s", 9);
  const std::size_t last = bytes_of.size() - 1;
  report(std::string(name) + ".large_bandwidth",
         (bytes_of[last] - bytes_of[last - 1]) / (alone_of[last] - alone_of[last - 1]), "GB/s", 21);
}

/// What each of many copies from four independent streams costs their one engine.
inline void shared_engine(buffers& memory, std::size_t bytes) {
  std::vector<cudaStream_t> streams(4);
  for (cudaStream_t& stream : streams) CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t opened, joined;
  CHECKED(cudaEventCreateWithFlags(&opened, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const auto many = [&](int count) {
    return gated_ns(streams[0], [&] {
      CHECKED(cudaEventRecord(opened, streams[0]));
      for (int i = 1; i < 4; ++i) CHECKED(cudaStreamWaitEvent(streams[i], opened, 0));
      for (int i = 0; i < count; ++i)
        CHECKED(
            cudaMemcpyAsync(memory.first, memory.pinned_in, bytes, cudaMemcpyHostToDevice, streams[i % 4]));
      for (int i = 1; i < 4; ++i) {
        CHECKED(cudaEventRecord(joined, streams[i]));
        CHECKED(cudaStreamWaitEvent(streams[0], joined, 0));
      }
    });
  };
  std::vector<double> each;
  for (int sample = 0; sample < 9; ++sample) {
    const double few = many(80);
    each.push_back((many(160) - few) / 80);
  }
  report("shared_engine.h2d." + std::to_string(bytes), middle(each), "ns", each.size());
  CHECKED(cudaEventDestroy(opened));
  CHECKED(cudaEventDestroy(joined));
  for (cudaStream_t stream : streams) CHECKED(cudaStreamDestroy(stream));
}

/// Eight chunks a direction, alone and together: by how much each direction slows the other.
inline void duplex(buffers& memory, std::size_t chunk) {
  cudaStream_t in, out;
  CHECKED(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
  CHECKED(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
  cudaEvent_t opened, joined;
  CHECKED(cudaEventCreateWithFlags(&opened, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const auto up = [&] {
    for (int i = 0; i < 8; ++i) {
      const std::size_t at = i * chunk % buffers::bytes;
      CHECKED(cudaMemcpyAsync(memory.first + at, memory.pinned_in + at, chunk, cudaMemcpyHostToDevice, in));
    }
  };
  const auto down = [&] {
    for (int i = 0; i < 8; ++i) {
      const std::size_t at = i * chunk % buffers::bytes;
      CHECKED(
          cudaMemcpyAsync(memory.pinned_out + at, memory.second + at, chunk, cudaMemcpyDeviceToHost, out));
    }
  };
  const auto timed = [&](bool with_up, bool with_down) {
    std::vector<double> samples;
    for (int sample = 0; sample < 9; ++sample)
      samples.push_back(gated_ns(in, [&] {
        CHECKED(cudaEventRecord(opened, in));
        CHECKED(cudaStreamWaitEvent(out, opened, 0));
        if (with_down) down();
        if (with_up) up();
        CHECKED(cudaEventRecord(joined, out));
        CHECKED(cudaStreamWaitEvent(in, joined, 0));
      }));
    return middle(samples);
  };
  const double alone_in = timed(true, false), alone_out = timed(false, true), both = timed(true, true);
  report("duplex_slowdown." + std::to_string(chunk), both / std::max(alone_in, alone_out), "ratio", 9);
  CHECKED(cudaEventDestroy(opened));
  CHECKED(cudaEventDestroy(joined));
  CHECKED(cudaStreamDestroy(in));
  CHECKED(cudaStreamDestroy(out));
}

/// Host time of one call made while a kernel keeps the stream busy for about twenty milliseconds.
template <class Call>
double behind_kernel_ns(cudaStream_t stream, stamps* noted, Call call) {
  spin<<<1, 1, 0, stream>>>(40'000'000, noted);
  const double begin = now_ns();
  call();
  const double passed = now_ns() - begin;
  CHECKED(cudaStreamSynchronize(stream));
  return passed;
}

inline void staging(buffers& memory, cudaStream_t stream) {
  stamps* const noted = noted_by_device<stamps>(1);
  constexpr double waited_ns = 10e6;
  const auto upload = [&](std::size_t at, std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(memory.first + at, memory.pageable.data() + at, bytes, cudaMemcpyHostToDevice,
                            stream));
  };
  upload(0, buffers::bytes);
  CHECKED(cudaStreamSynchronize(stream));
  std::vector<double> largest, total;
  for (int sample = 0; sample < 5; ++sample) {
    std::size_t taken = 64 << 10, refused = 16 << 20;
    while (refused - taken > (1 << 10)) {
      const std::size_t bytes = (taken + refused) / 2;
      const double passed = behind_kernel_ns(stream, noted, [&] { upload(0, bytes); });
      (passed < waited_ns ? taken : refused) = bytes;
    }
    largest.push_back(double(taken));
    std::size_t together = 0;
    behind_kernel_ns(stream, noted, [&] {
      constexpr std::size_t each = 32 << 10;
      for (; together + each <= (std::size_t(16) << 20); together += each) {
        const double begin = now_ns();
        upload(together, each);
        if (now_ns() - begin > waited_ns / 5) return;
      }
    });
    total.push_back(double(together));
  }
  report("staging_buffer", middle(largest), "bytes", largest.size());
  report("staging_buffer.in_calls_of_32_KiB", middle(total), "bytes", total.size());
  CHECKED(cudaFreeHost(noted));
}

inline void pageable(buffers& memory, cudaStream_t stream) {
  struct way {
    const char* name;
    bool to_device, waits;
  };
  for (const way& one : {way{"pageable_h2d.async", true, false}, way{"pageable_d2h.async", false, false},
                         way{"pageable_h2d.sync", true, true}, way{"pageable_d2h.sync", false, true}}) {
    std::vector<double> bytes_of, call_of, total_of;
    for (std::size_t bytes = 1024; bytes <= (std::size_t(64) << 20); bytes *= 4) {
      std::vector<double> call, total;
      for (int sample = -1; sample < 15; ++sample) {
        const auto kind = one.to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
        char* const from = one.to_device ? memory.pageable.data() : memory.first;
        char* const to = one.to_device ? memory.first : memory.pageable.data();
        const double begin = now_ns();
        CHECKED(one.waits ? cudaMemcpy(to, from, bytes, kind)
                          : cudaMemcpyAsync(to, from, bytes, kind, stream));
        const double returned = now_ns();
        CHECKED(cudaDeviceSynchronize());
        if (sample < 0) continue;
        call.push_back(returned - begin), total.push_back(now_ns() - begin);
      }
      const std::string key = std::string(one.name) + "." + std::to_string(bytes);
      report(key + ".call", middle(call), "ns", call.size());
      report(key + ".done", middle(total), "ns", total.size());
      bytes_of.push_back(double(bytes)), call_of.push_back(middle(call)), total_of.push_back(middle(total));
    }
    const line_fit call = fit(bytes_of, call_of), total = fit(bytes_of, total_of);
    report(std::string(one.name) + ".call_fixed", call.constant, "ns", 15);
    report(std::string(one.name) + ".call_bandwidth", 1 / call.slope, "GB/s", 15);
    report(std::string(one.name) + ".done_fixed", total.constant, "ns", 15);
    report(std::string(one.name) + ".done_bandwidth", 1 / total.slope, "GB/s", 15);
  }
}

/// Prints what copies and memsets cost.
inline void copies() {
  buffers memory;
  cudaStream_t stream;
  CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  sizes("h2d", stream, [&](std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(memory.first, memory.pinned_in, bytes, cudaMemcpyHostToDevice, stream));
  });
  sizes("d2h", stream, [&](std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(memory.pinned_out, memory.first, bytes, cudaMemcpyDeviceToHost, stream));
  });
  sizes("d2d", stream, [&](std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(memory.second, memory.first, bytes, cudaMemcpyDeviceToDevice, stream));
  });
  sizes("memset", stream,
        [&](std::size_t bytes) { CHECKED(cudaMemsetAsync(memory.first, 1, bytes, stream)); });
  for (const std::size_t kibibytes : {4, 64, 1024}) shared_engine(memory, kibibytes << 10);
  for (const std::size_t mebibytes : {1, 4, 16, 64}) duplex(memory, mebibytes << 20);
  staging(memory, stream);
  pageable(memory, stream);
  CHECKED(cudaStreamDestroy(stream));
}

}  // namespace measure
