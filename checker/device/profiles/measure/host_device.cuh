// File: host_device.cuh. What lies between host and device: end of a launch to the begin of its kernel, end
// of device work to the return of the call that waited for it. The two clocks are laid over each other by
// questions and answers. Not here: the host's own share of a call (host_calls.cuh). Example:
// measure::host_device();
#pragma once

#include <functional>

#include "gate.cuh"

namespace measure {

struct mailbox {
  unsigned question, answer;
  unsigned long long time_ns;
};

__global__ void answer(volatile mailbox* box, unsigned rounds) {
  const long long begin = clock64();
  for (unsigned round = 1; round <= rounds; ++round) {
    while (box->question != round)
      if (clock64() - begin > give_up_cycles) return;
    box->time_ns = global_nanoseconds();
    __threadfence_system();
    box->answer = round;
  }
}

/// Host clock minus device clock. The quickest of many rounds count; half a round is what can be wrong.
inline double clock_offset_ns(cudaStream_t stream, double* round_ns = nullptr) {
  constexpr unsigned rounds = 400;
  static volatile mailbox* const box = noted_by_device<mailbox>(1);
  box->question = box->answer = 0;
  answer<<<1, 1, 0, stream>>>(box, rounds);
  std::vector<std::pair<double, double>> seen;
  for (unsigned round = 1; round <= rounds; ++round) {
    const double begin = now_ns();
    box->question = round;
    while (box->answer != round) require(now_ns() - begin < 5e9, "the device does not answer");
    const double end = now_ns();
    seen.emplace_back(end - begin, (begin + end) / 2 - double(box->time_ns));
  }
  CHECKED(cudaStreamSynchronize(stream));
  std::sort(seen.begin(), seen.end());
  std::vector<double> offsets;
  for (unsigned i = 0; i < rounds / 4; ++i) offsets.push_back(seen[i].second);
  if (round_ns != nullptr) *round_ns = seen[rounds / 8].first;
  return middle(offsets);
}

/// Launches a kernel of known length on an idle stream and waits with wait(); prints both ends of the trip.
inline void trip(const char* name, cudaStream_t stream, const std::function<void()>& after_launch,
                 const std::function<void()>& wait) {
  constexpr int batches = 10, each = 30;
  stamps* const noted = on_device<stamps>(1);
  std::vector<double> launching, starting, returning, whole;
  for (int batch = 0; batch < batches; ++batch) {
    const double offset = clock_offset_ns(stream);
    for (int i = 0; i < each; ++i) {
      const double before = now_ns();
      spin<<<1, 1, 0, stream>>>(40'000, noted);
      const double launched = now_ns();
      after_launch();
      wait();
      const double returned = now_ns();
      stamps seen;
      CHECKED(cudaMemcpy(&seen, noted, sizeof(seen), cudaMemcpyDeviceToHost));
      launching.push_back(launched - before);
      starting.push_back(double(seen.begin) + offset - launched);
      returning.push_back(returned - (double(seen.end) + offset));
      whole.push_back(returned - before - double(seen.end - seen.begin));
    }
  }
  const std::string key = std::string("trip.") + name;
  report(key + ".launch_call", middle(launching), "ns", launching.size());
  report(key + ".launch_latency", middle(starting), "ns", starting.size());
  report(key + ".return", middle(returning), "ns", returning.size());
  report(key + ".all_but_kernel", middle(whole), "ns", whole.size());
  CHECKED(cudaFree(noted));
}

/// One operation on an idle stream: call, and call with waiting for it.
inline void idle_trips(cudaStream_t stream) {
  constexpr std::size_t bytes = 64 << 10;
  char* const pinned = noted_by_device<char>(bytes);
  char* const memory = on_device<char>(bytes);
  const auto one = [&](const std::string& name, const std::function<void()>& call) {
    std::vector<double> calling, whole;
    for (int i = -10; i < 300; ++i) {
      const double begin = now_ns();
      call();
      const double called = now_ns();
      CHECKED(cudaStreamSynchronize(stream));
      if (i < 0) continue;
      calling.push_back(called - begin), whole.push_back(now_ns() - begin);
    }
    report("trip." + name + ".call", middle(calling), "ns", calling.size());
    report("trip." + name + ".done", middle(whole), "ns", whole.size());
  };
  for (const std::size_t size : {std::size_t(4), bytes}) {
    const std::string end = "_" + std::to_string(size);
    const auto up = cudaMemcpyHostToDevice, down = cudaMemcpyDeviceToHost;
    one("h2d" + end, [&] { CHECKED(cudaMemcpyAsync(memory, pinned, size, up, stream)); });
    one("d2h" + end, [&] { CHECKED(cudaMemcpyAsync(pinned, memory, size, down, stream)); });
    one("sync_h2d" + end, [&] { CHECKED(cudaMemcpy(memory, pinned, size, up)); });
    one("sync_d2h" + end, [&] { CHECKED(cudaMemcpy(pinned, memory, size, down)); });
    one("memset" + end, [&] { CHECKED(cudaMemsetAsync(memory, 0, size, stream)); });
  }
  one("kernel", [&] { nothing<<<1, 32, 0, stream>>>(); });
  CHECKED(cudaFree(memory));
  CHECKED(cudaFreeHost(pinned));
}

/// Prints what lies between host and device.
inline void host_device() {
  cudaStream_t stream;
  CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t event, blocking;
  CHECKED(cudaEventCreate(&event));
  CHECKED(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync | cudaEventDisableTiming));
  char* const pinned = noted_by_device<char>(64);
  char* const memory = on_device<char>(64);
  double round = 0;
  clock_offset_ns(stream, &round);
  report("clock_round", round, "ns", 400);
  const auto nothing_more = [] {};
  const auto record = [&](cudaEvent_t which) { return [=] { CHECKED(cudaEventRecord(which, stream)); }; };
  trip("streamSynchronize", stream, nothing_more, [&] { CHECKED(cudaStreamSynchronize(stream)); });
  trip("deviceSynchronize", stream, nothing_more, [] { CHECKED(cudaDeviceSynchronize()); });
  trip("eventSynchronize", stream, record(event), [&] { CHECKED(cudaEventSynchronize(event)); });
  trip("eventSynchronize_blocking", stream, record(blocking),
       [&] { CHECKED(cudaEventSynchronize(blocking)); });
  trip("eventQuery", stream, record(event), [&] {
    while (cudaEventQuery(event) == cudaErrorNotReady) continue;
  });
  trip("memcpy_d2h_4", cudaStreamLegacy, nothing_more,
       [&] { CHECKED(cudaMemcpy(pinned, memory, 4, cudaMemcpyDeviceToHost)); });
  idle_trips(stream);
  CHECKED(cudaFree(memory));
  CHECKED(cudaFreeHost(pinned));
  CHECKED(cudaStreamDestroy(stream));
}

}  // namespace measure
