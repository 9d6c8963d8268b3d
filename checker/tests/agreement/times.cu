// times.cu: section time: what calls cost the host, and what small and large work takes on the device.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ask.h"

namespace agreement {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

void ask_about_first_times() {
  cudaStream_t stream = nullptr;
  answer_ms("context_init", time_us([] { CHECK(cudaFree(nullptr)); }) / 1e3);
  answer_us("first_launch_of_a_kernel", time_us([] { launch_nothing(nullptr); }));
  CHECK(cudaDeviceSynchronize());
  answer_us("first_stream_create", time_us([&] { CHECK(cudaStreamCreate(&stream)); }));
}

void ask_about_enqueueing(cudaStream_t stream, cudaEvent_t timed, cudaEvent_t untimed, void* pinned,
                          void* device) {
  const auto drain = [=] { CHECK(cudaStreamSynchronize(stream)); };
  const auto ask = [&](const char* question, const std::function<void()>& call) {
    answer_us(std::string("host.") + question, median_us(call, drain));
  };
  ask("launch_nop_queue_empty", [=] { launch_nothing(stream); });
  ask("eventRecord", [=] { CHECK(cudaEventRecord(timed, stream)); });
  ask("eventRecord_notiming", [=] { CHECK(cudaEventRecord(untimed, stream)); });
  drain();
  ask("streamWaitEvent", [=] { CHECK(cudaStreamWaitEvent(stream, timed, 0)); });
  ask("eventQuery_done", [=] { CHECK(cudaEventQuery(timed)); });
  ask("streamQuery_idle", [=] { CHECK(cudaStreamQuery(stream)); });
  ask("streamSync_idle", [=] { CHECK(cudaStreamSynchronize(stream)); });
  ask("deviceSync_idle", [] { CHECK(cudaDeviceSynchronize()); });
  ask("memcpyAsync_pinned_4B_call",
      [=] { CHECK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream)); });
  ask("memsetAsync_call", [=] { CHECK(cudaMemsetAsync(device, 0, 4, stream)); });
  ask("launchHostFunc_call", [=] {
    CHECK(cudaLaunchHostFunc(
        stream, [](void*) {}, nullptr));
  });
  ask("launch_plus_sync", [=] {
    launch_nothing(stream);
    CHECK(cudaStreamSynchronize(stream));
  });
  ask("memcpy_pinned_4B_sync_H2D", [=] { CHECK(cudaMemcpy(device, pinned, 4, cudaMemcpyHostToDevice)); });
  ask("memcpy_pinned_4B_sync_D2H", [=] { CHECK(cudaMemcpy(pinned, device, 4, cudaMemcpyDeviceToHost)); });
}

void ask_about_making_and_freeing(cudaStream_t stream) {
  const auto ask = [](const std::string& question, const std::function<void()>& call) {
    answer_us("host." + question, median_us(call));
  };
  ask("streamCreateDestroy", [] { CHECK(cudaStreamDestroy(blocking_stream())); });
  ask("eventCreateDestroy", [] {
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventDestroy(event));
  });
  for (const std::size_t bytes : {std::size_t{4096}, mebibyte, 64 * mebibyte}) {
    ask("cudaMalloc+Free_" + std::to_string(bytes), [=] {
      void* memory = nullptr;
      CHECK(cudaMalloc(&memory, bytes));
      CHECK(cudaFree(memory));
    });
    ask("cudaMallocHost+Free_" + std::to_string(bytes), [=] {
      void* memory = nullptr;
      CHECK(cudaMallocHost(&memory, bytes));
      CHECK(cudaFreeHost(memory));
    });
  }
  void* memory = nullptr;
  if (const cudaError_t returned = cudaMallocAsync(&memory, mebibyte, stream); returned != cudaSuccess) {
    return answer_error("host.cudaMallocAsync+Free_1M", returned);
  }
  CHECK(cudaFreeAsync(memory, stream));
  ask("cudaMallocAsync+Free_1M", [=] {
    void* pooled = nullptr;
    CHECK(cudaMallocAsync(&pooled, mebibyte, stream));
    CHECK(cudaFreeAsync(pooled, stream));
  });
}

/// Time between two events around that work, microseconds: the median of so many rounds.
double device_us(cudaStream_t stream, const std::function<void()>& work, std::size_t rounds = 21) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> samples(rounds);
  for (float& sample : samples) {
    CHECK(cudaEventRecord(begin, stream));
    work();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&sample, begin, end));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(samples.begin(), samples.end());
  return 1e3 * samples[rounds / 2];
}

void ask_about_small_work(cudaStream_t stream, void* pinned, void* device) {
  const auto ask = [=](const char* question, const std::function<void()>& work) {
    answer_us(std::string("gpu.") + question, device_us(stream, work));
  };
  ask("two_events_nothing_between", [] {});
  ask("one_nop", [=] { launch_nothing(stream); });
  ask("ten_nops", [=] {
    for (int i = 0; i < 10; ++i) launch_nothing(stream);
  });
  ask("memcpy_4B_H2D", [=] { CHECK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream)); });
  ask("memcpy_4B_D2H", [=] { CHECK(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, stream)); });
}

void ask_about_pinned_copies(cudaStream_t stream) {
  constexpr std::size_t max_bytes = 256 * mebibyte;
  char *pinned = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&pinned, max_bytes));
  CHECK(cudaMalloc(&device, 2 * max_bytes));
  for (std::size_t bytes = 4096; bytes <= max_bytes; bytes *= 4) {
    const auto ask = [=](const char* direction, char* to, const char* from) {
      answer_us(std::string("pinned_copy.") + direction + "." + std::to_string(bytes),
                device_us(
                    stream, [=] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)); },
                    bytes > mebibyte ? 3 : 21));
    };
    ask("H2D", device, pinned);
    ask("D2H", pinned, device);
    ask("D2D", device + max_bytes, device);
  }
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
}

void ask_about_both_directions(cudaStream_t stream, cudaStream_t other) {
  constexpr std::size_t bytes = 128 * mebibyte;
  char *up = nullptr, *down = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&up, bytes));
  CHECK(cudaMallocHost(&down, bytes));
  CHECK(cudaMalloc(&device, 2 * bytes));
  const auto copy_in = [=](std::size_t from, std::size_t count, cudaStream_t target) {
    CHECK(cudaMemcpyAsync(device + from, up + from, count, cudaMemcpyHostToDevice, target));
  };
  const auto copy_out = [=](cudaStream_t target) {
    CHECK(cudaMemcpyAsync(down, device + bytes, bytes, cudaMemcpyDeviceToHost, target));
  };
  cudaEvent_t forked, joined;
  CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  const auto beside = [=](const std::function<void()>& in_stream, const std::function<void()>& in_other) {
    return [=] {
      CHECK(cudaEventRecord(forked, stream));
      CHECK(cudaStreamWaitEvent(other, forked, 0));
      in_stream();
      in_other();
      CHECK(cudaEventRecord(joined, other));
      CHECK(cudaStreamWaitEvent(stream, joined, 0));
    };
  };
  const auto ask = [=](const char* question, const std::function<void()>& work) {
    answer_ms(std::string("duplex.128MiB.") + question, device_us(stream, work, 3) / 1e3);
  };
  ask("h2d", [=] { copy_in(0, bytes, stream); });
  ask("d2h", [=] { copy_out(stream); });
  ask("both", beside([=] { copy_in(0, bytes, stream); }, [=] { copy_out(other); }));
  ask("two_h2d_64MiB_each",
      beside([=] { copy_in(0, bytes / 2, stream); }, [=] { copy_in(bytes / 2, bytes / 2, other); }));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(up));
  CHECK(cudaFreeHost(down));
}

}  // namespace

void ask_about_times() {
  ask_about_first_times();
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t timed, untimed;
  CHECK(cudaEventCreate(&timed));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  void *pinned = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&pinned, 4096));
  CHECK(cudaMalloc(&device, 4096));
  ask_about_enqueueing(stream, timed, untimed, pinned, device);
  ask_about_making_and_freeing(stream);
  ask_about_small_work(stream, pinned, device);
  ask_about_pinned_copies(stream);
  ask_about_both_directions(stream, blocking_stream());
}

}  // namespace agreement
