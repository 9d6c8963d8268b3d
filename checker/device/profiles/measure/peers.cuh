// File: peers.cuh. What lies between two GPUs with peer access: copies that the source's device or the destination's
// issues, several at once, beside copies of the host link, and events that one device records and the other waits for.
// Prints nothing but a comment where there are no two such GPUs. Example: measure::peers();
#pragma once

#include <functional>

#include "copies.cuh"
#include "gate.cuh"
#include "host_calls.cuh"
#include "queues.cuh"

namespace measure {

/// Two GPUs, and two streams and two buffers on each.
struct peer_bench {
  cudaStream_t streams[2][2];
  char* memory[2][2];
  char* pinned_in = noted_by_device<char>(buffers::bytes);
  char* pinned_out = noted_by_device<char>(buffers::bytes);
  cudaEvent_t forked, joined[4], there, back;

  peer_bench() {
    for (int device = 1; device >= 0; --device) {
      CHECKED(cudaSetDevice(device));
      CHECKED(cudaDeviceEnablePeerAccess(1 - device, 0));
      for (int i = 0; i < 2; ++i) {
        CHECKED(cudaStreamCreateWithFlags(&streams[device][i], cudaStreamNonBlocking));
        memory[device][i] = on_device<char>(buffers::bytes);
      }
      if (device == 1) CHECKED(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    }
    for (cudaEvent_t* event : {&forked, &joined[0], &joined[1], &joined[2], &joined[3], &back})
      CHECKED(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  peer_bench(const peer_bench&) = delete;
  peer_bench& operator=(const peer_bench&) = delete;

  /// Puts a copy from that device to the other one into a stream of `issuer`.
  void copy(int issuer, int stream, int from, std::size_t bytes) {
    CHECKED(cudaMemcpyPeerAsync(memory[1 - from][issuer], 1 - from, memory[from][1 - issuer], from, bytes,
                                streams[issuer][stream]));
  }
  void up(int device, int stream, std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(memory[device][0], pinned_in, bytes, cudaMemcpyHostToDevice, streams[device][stream]));
  }
  void down(int device, int stream, std::size_t bytes) {
    CHECKED(cudaMemcpyAsync(pinned_out, memory[device][1], bytes, cudaMemcpyDeviceToHost, streams[device][stream]));
  }
};

/// Work in a stream of one of the devices.
struct peer_work {
  int device, stream;
  std::function<void()> enqueue;
};

/// From a fork in the first stream of device 0 to the join of all streams there.
inline double together_ns(peer_bench& bench, const std::vector<peer_work>& works) {
  std::vector<double> samples;
  cudaStream_t const first = bench.streams[0][0];
  for (int sample = -1; sample < 9; ++sample) {
    const double once = gated_ns(first, [&] {
      CHECKED(cudaEventRecord(bench.forked, first));
      for (const peer_work& work : works) {
        cudaStream_t const stream = bench.streams[work.device][work.stream];
        if (stream != first) CHECKED(cudaStreamWaitEvent(stream, bench.forked, 0));
      }
      for (const peer_work& work : works) work.enqueue();
      for (std::size_t i = 0; i < works.size(); ++i) {
        cudaStream_t const stream = bench.streams[works[i].device][works[i].stream];
        if (stream == first) continue;
        CHECKED(cudaSetDevice(works[i].device));
        if (works[i].device == 0) {
          CHECKED(cudaEventRecord(bench.joined[i], stream));
          CHECKED(cudaStreamWaitEvent(first, bench.joined[i], 0));
        } else {
          CHECKED(cudaEventRecord(bench.there, stream));
          CHECKED(cudaSetDevice(0));
          CHECKED(cudaStreamWaitEvent(first, bench.there, 0));
        }
        CHECKED(cudaSetDevice(0));
      }
    });
    if (sample >= 0) samples.push_back(once);
  }
  return middle(samples);
}

/// Copies that share engines or links take longer together than the longest of them alone.
inline void peers_together(peer_bench& bench) {
  for (const std::size_t bytes : {std::size_t(64) << 10, std::size_t(2) << 20, std::size_t(64) << 20}) {
    const auto peer = [&](int issuer, int stream, int from) {
      return peer_work{issuer, stream, [&bench, issuer, stream, from, bytes] { bench.copy(issuer, stream, from, bytes); }};
    };
    const auto up = [&](int device, int stream) {
      return peer_work{device, stream, [&bench, device, stream, bytes] { bench.up(device, stream, bytes); }};
    };
    const auto down = [&](int device, int stream) {
      return peer_work{device, stream, [&bench, device, stream, bytes] { bench.down(device, stream, bytes); }};
    };
    const auto told = [&](const char* key, const std::vector<peer_work>& works) {
      report("peer.together." + std::string(key) + "." + std::to_string(bytes), together_ns(bench, works), "ns", 9);
    };
    told("push", {peer(0, 0, 0)});
    told("push_second_stream", {peer(0, 1, 0)});
    told("pull", {peer(0, 0, 1)});
    told("push_of_the_other", {peer(1, 0, 1)});
    told("pull_of_the_other", {peer(1, 0, 0)});
    told("push_push", {peer(0, 0, 0), peer(0, 1, 0)});
    told("pull_pull", {peer(0, 0, 1), peer(0, 1, 1)});
    told("push_pull", {peer(0, 0, 0), peer(0, 1, 1)});
    told("push_and_push_of_the_other", {peer(0, 0, 0), peer(1, 0, 1)});
    told("push_and_pull_of_the_other", {peer(0, 0, 0), peer(1, 0, 0)});
    told("pull_and_push_of_the_other", {peer(0, 0, 1), peer(1, 0, 1)});
    told("pull_and_pull_of_the_other", {peer(0, 0, 1), peer(1, 0, 0)});
    told("push_pull_and_both_of_the_other", {peer(0, 0, 0), peer(0, 1, 1), peer(1, 0, 1), peer(1, 1, 0)});
    told("up", {up(0, 1)});
    told("down", {down(0, 1)});
    told("up_of_the_other", {up(1, 1)});
    told("push_up", {peer(0, 0, 0), up(0, 1)});
    told("push_down", {peer(0, 0, 0), down(0, 1)});
    told("pull_up", {peer(0, 0, 1), up(0, 1)});
    told("pull_down", {peer(0, 0, 1), down(0, 1)});
    told("push_up_of_the_other", {peer(0, 0, 0), up(1, 1)});
    told("push_down_of_the_other", {peer(0, 0, 0), down(1, 1)});
  }
}

/// A kernel on device 0, work on either, and a kernel on device 0: the time between the kernels.
inline double between_kernels_ns(peer_bench& bench, const std::function<void()>& between) {
  static gate holding;
  static stamps* const noted = noted_by_device<stamps>(2);
  std::vector<double> gaps;
  for (int sample = -1; sample < 21; ++sample) {
    CHECKED(cudaSetDevice(0));
    holding.close(bench.streams[0][0]);
    spin<<<1, 1, 0, bench.streams[0][0]>>>(20'000, noted);
    between();
    CHECKED(cudaSetDevice(0));
    spin<<<1, 1, 0, bench.streams[0][0]>>>(20'000, noted + 1);
    holding.open();
    CHECKED(cudaDeviceSynchronize());
    if (sample >= 0) gaps.push_back(double(noted[1].begin) - double(noted[0].end));
  }
  return middle(gaps);
}

inline void peer_links(peer_bench& bench) {
  cudaStream_t const here = bench.streams[0][0];
  cudaStream_t const beside = bench.streams[0][1];
  cudaStream_t const other = bench.streams[1][0];
  stamps* const noted = noted_by_device<stamps>(1);
  const auto told = [&](const std::string& key, const std::function<void()>& between) {
    report("peer.gap." + key, between_kernels_ns(bench, between), "ns", 21);
  };
  const auto to = [&](cudaStream_t from, cudaEvent_t event, cudaStream_t into, int device, int next) {
    CHECKED(cudaSetDevice(device));
    CHECKED(cudaEventRecord(event, from));
    CHECKED(cudaSetDevice(next));
    CHECKED(cudaStreamWaitEvent(into, event, 0));
  };
  told("nothing", [] {});
  told("event_there_and_back", [&] { to(here, bench.forked, other, 0, 1), to(other, bench.there, here, 1, 0); });
  told("event_beside_and_back", [&] { to(here, bench.forked, beside, 0, 0), to(beside, bench.back, here, 0, 0); });
  told("kernel_there_and_back", [&] {
    to(here, bench.forked, other, 0, 1);
    spin<<<1, 1, 0, other>>>(20'000, noted);
    to(other, bench.there, here, 1, 0);
  });
  report("peer.gap.kernel_there", double(noted->end - noted->begin), "ns", 1);
  for (long long cycles = 1'000; cycles <= 64'000; cycles *= 2)
    told("kernel_there_and_back." + std::to_string(cycles), [&] {
      to(here, bench.forked, other, 0, 1);
      spin<<<1, 1, 0, other>>>(cycles, noted);
      to(other, bench.there, here, 1, 0);
    });
  told("kernel_beside_and_back", [&] {
    to(here, bench.forked, beside, 0, 0);
    spin<<<1, 1, 0, beside>>>(20'000, noted);
    to(beside, bench.back, here, 0, 0);
  });
  report("peer.gap.kernel_beside", double(noted->end - noted->begin), "ns", 1);
  for (const std::size_t bytes : {std::size_t(4), std::size_t(4) << 10, std::size_t(64) << 10, std::size_t(1) << 20}) {
    const std::string size = "." + std::to_string(bytes);
    told("push" + size, [&] { bench.copy(0, 0, 0, bytes); });
    told("pull" + size, [&] { bench.copy(0, 0, 1, bytes); });
    told("push_push" + size, [&] { bench.copy(0, 0, 0, bytes), bench.copy(0, 0, 0, bytes); });
    told("push_pull" + size, [&] { bench.copy(0, 0, 0, bytes), bench.copy(0, 0, 1, bytes); });
    told("up" + size, [&] { bench.up(0, 0, bytes); });
    told("down" + size, [&] { bench.down(0, 0, bytes); });
    told("up_push" + size, [&] { bench.up(0, 0, bytes), bench.copy(0, 0, 0, bytes); });
    told("push_down" + size, [&] { bench.copy(0, 0, 0, bytes), bench.down(0, 0, bytes); });
    told("down_push" + size, [&] { bench.down(0, 0, bytes), bench.copy(0, 0, 0, bytes); });
    told("pull_down" + size, [&] { bench.copy(0, 0, 1, bytes), bench.down(0, 0, bytes); });
    told("push_of_the_other" + size, [&] {
      to(here, bench.forked, other, 0, 1);
      bench.copy(1, 0, 1, bytes);
      to(other, bench.there, here, 1, 0);
    });
    told("pull_of_the_other" + size, [&] {
      to(here, bench.forked, other, 0, 1);
      bench.copy(1, 0, 0, bytes);
      to(other, bench.there, here, 1, 0);
    });
  }
  CHECKED(cudaSetDevice(0));
}

/// Prints what lies between two GPUs.
inline void peers() {
  int count = 0, one = 0, two = 0;
  CHECKED(cudaGetDeviceCount(&count));
  if (count > 1) {
    CHECKED(cudaDeviceCanAccessPeer(&one, 0, 1));
    CHECKED(cudaDeviceCanAccessPeer(&two, 1, 0));
  }
  if (one == 0 || two == 0) {
    std::printf("# peers: there are no two GPUs with peer access\n");
    return;
  }
  peer_bench bench;
  sizes("peer.push", bench.streams[0][0], [&](std::size_t bytes) { bench.copy(0, 0, 0, bytes); });
  sizes("peer.pull", bench.streams[0][0], [&](std::size_t bytes) { bench.copy(0, 0, 1, bytes); });
  held_streams("push", [&](cudaStream_t stream) {
    CHECKED(cudaMemcpyPeerAsync(bench.memory[1][0], 1, bench.memory[0][0], 0, 64 << 10, stream));
  });
  held_streams("pull", [&](cudaStream_t stream) {
    CHECKED(cudaMemcpyPeerAsync(bench.memory[0][0], 0, bench.memory[1][0], 1, 64 << 10, stream));
  });
  peers_together(bench);
  peer_links(bench);
  const auto drain = [calls = 0]() mutable {
    if (++calls % 32 == 0) CHECKED(cudaDeviceSynchronize());
  };
  report("host.cudaMemcpyPeerAsync", call_ns([&] { bench.copy(0, 0, 0, 64 << 10); }, drain), "ns", 300);
  CHECKED(cudaDeviceSynchronize());
}

}  // namespace measure
