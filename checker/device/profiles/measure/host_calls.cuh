// File: host_calls.cuh. What calls cost the host when nothing makes them wait; allocations as functions of
// size. Not here: the way from host to device and back (host_device.cuh). Example: measure::host_calls();
#pragma once

#include <functional>

#include "gate.cuh"

namespace measure {

/// Host time of one call, reading the clock subtracted; before() is not counted.
inline double call_ns(
    const std::function<void()>& call, const std::function<void()>& before = [] {}, int count = 300) {
  std::vector<double> bare, samples;
  for (int i = 0; i < 1000; ++i) {
    const double begin = now_ns();
    bare.push_back(now_ns() - begin);
  }
  for (int i = -10; i < count; ++i) {
    before();
    const double begin = now_ns();
    call();
    const double passed = now_ns() - begin;
    if (i >= 0) samples.push_back(passed);
  }
  return middle(samples) - middle(bare);
}

inline void enqueueing_calls(cudaStream_t stream, cudaStream_t other) {
  constexpr std::size_t bytes = 64 << 10;
  char* const pinned = noted_by_device<char>(bytes);
  char* const memory = on_device<char>(2 * bytes);
  cudaEvent_t event, idle;
  CHECKED(cudaEventCreate(&event));
  CHECKED(cudaEventCreateWithFlags(&idle, cudaEventDisableTiming));
  const auto drain = [calls = 0]() mutable {
    if (++calls % 32 == 0) CHECKED(cudaDeviceSynchronize());
  };
  const auto host = [&](const char* name, const std::function<void()>& call) {
    report(std::string("host.") + name, call_ns(call, drain), "ns", 300);
    CHECKED(cudaDeviceSynchronize());
  };
  host("cudaLaunchKernel", [&] { nothing<<<1, 32, 0, stream>>>(); });
  const auto copies = [&](const char* name, void* to, const void* from, cudaMemcpyKind kind) {
    host(name, [=] { CHECKED(cudaMemcpyAsync(to, from, bytes, kind, stream)); });
  };
  copies("cudaMemcpyAsync.h2d", memory, pinned, cudaMemcpyHostToDevice);
  copies("cudaMemcpyAsync.d2h", pinned, memory, cudaMemcpyDeviceToHost);
  copies("cudaMemcpyAsync.d2d", memory + bytes, memory, cudaMemcpyDeviceToDevice);
  host("cudaMemset", [&] { CHECKED(cudaMemset(memory, 1, bytes)); });
  host("cudaMemsetAsync", [&] { CHECKED(cudaMemsetAsync(memory, 1, bytes, stream)); });
  host("cudaEventRecord", [&] { CHECKED(cudaEventRecord(event, stream)); });
  host("cudaEventRecord.untimed", [&] { CHECKED(cudaEventRecord(idle, stream)); });
  host("cudaStreamWaitEvent", [&] { CHECKED(cudaStreamWaitEvent(other, event, 0)); });
  host("cudaEventQuery", [&] { CHECKED(cudaEventQuery(event)); });
  host("cudaStreamQuery", [&] { CHECKED(cudaStreamQuery(stream)); });
  host("cudaStreamSynchronize", [&] { CHECKED(cudaStreamSynchronize(stream)); });
  host("cudaEventSynchronize", [&] { CHECKED(cudaEventSynchronize(event)); });
  host("cudaDeviceSynchronize", [&] { CHECKED(cudaDeviceSynchronize()); });
  host("cudaLaunchHostFunc", [&] {
    CHECKED(cudaLaunchHostFunc(
        stream, [](void*) {}, nullptr));
  });
  host("cudaGetLastError", [] { CHECKED(cudaGetLastError()); });
  host("cudaPeekAtLastError", [] { CHECKED(cudaPeekAtLastError()); });
  int value = 0;
  host("cudaGetDevice", [&] { CHECKED(cudaGetDevice(&value)); });
  host("cudaSetDevice", [&] { CHECKED(cudaSetDevice(value)); });
  host("cudaGetDeviceCount", [&] { CHECKED(cudaGetDeviceCount(&value)); });
  host("cudaDeviceGetAttribute", [&] { CHECKED(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0)); });
  cudaDeviceProp properties;
  host("cudaGetDeviceProperties", [&] { CHECKED(cudaGetDeviceProperties(&properties, 0)); });
  std::size_t free_bytes = 0, total_bytes = 0;
  host("cudaMemGetInfo", [&] { CHECKED(cudaMemGetInfo(&free_bytes, &total_bytes)); });
  cudaPointerAttributes attributes;
  host("cudaPointerGetAttributes", [&] { CHECKED(cudaPointerGetAttributes(&attributes, memory)); });
  cudaEvent_t later;
  CHECKED(cudaEventCreate(&later));
  CHECKED(cudaEventRecord(event, stream));
  CHECKED(cudaEventRecord(later, stream));
  CHECKED(cudaEventSynchronize(later));
  float milliseconds = 0;
  host("cudaEventElapsedTime", [&] { CHECKED(cudaEventElapsedTime(&milliseconds, event, later)); });
  CHECKED(cudaFree(memory));
  CHECKED(cudaFreeHost(pinned));
}

inline void creating_calls() {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  const auto make_stream = [&] { CHECKED(cudaStreamCreate(&stream)); };
  const auto end_stream = [&] { CHECKED(cudaStreamDestroy(stream)); };
  const auto make_event = [&] { CHECKED(cudaEventCreate(&event)); };
  const auto end_event = [&] { CHECKED(cudaEventDestroy(event)); };
  make_stream(), make_event();
  report("host.cudaStreamCreate", call_ns(make_stream, end_stream, 100), "ns", 100);
  end_stream();
  report("host.cudaStreamDestroy", call_ns(end_stream, make_stream, 100), "ns", 100);
  make_stream();
  report(
      "host.cudaStreamCreateWithFlags",
      call_ns([&] { CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }, end_stream, 100),
      "ns", 100);
  report("host.cudaStreamCreateWithPriority",
         call_ns([&] { CHECKED(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1)); },
                 end_stream, 100),
         "ns", 100);
  std::vector<cudaStream_t> many(40);
  const auto keep_one = [&, next = 0]() mutable { CHECKED(cudaStreamCreate(&many[next++])); };
  report("host.cudaStreamCreate.all_kept",
         call_ns(
             keep_one, [] {}, 30),
         "ns", 30);
  for (cudaStream_t one : many) CHECKED(cudaStreamDestroy(one));
  report("host.cudaEventCreate", call_ns(make_event, end_event, 100), "ns", 100);
  end_event();
  report("host.cudaEventDestroy", call_ns(end_event, make_event, 100), "ns", 100);
  make_event();
  report("host.cudaEventCreateWithFlags",
         call_ns([&] { CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }, end_event, 100),
         "ns", 100);
}

/// Times a pair of calls that take and give back memory, over sizes, and fits `fixed + each_MiB * size`.
inline void memory_pair(const char* take_name, const char* give_name,
                        const std::function<void(std::size_t)>& take, const std::function<void()>& give) {
  std::vector<double> mebibytes, taken, given;
  for (std::size_t bytes = 4096; bytes <= (std::size_t(256) << 20); bytes *= 4) {
    take(bytes);
    const auto take_these = [&] { take(bytes); };
    taken.push_back(call_ns(take_these, give, 7));
    give();
    given.push_back(call_ns(give, take_these, 7));
    mebibytes.push_back(double(bytes) / (1 << 20));
    report(std::string("host.") + take_name + "." + std::to_string(bytes), taken.back(), "ns", 7);
    report(std::string("host.") + give_name + "." + std::to_string(bytes), given.back(), "ns", 7);
  }
  for (const auto& [name, costs] : {std::pair{take_name, taken}, std::pair{give_name, given}}) {
    const line_fit line = fit(mebibytes, costs);
    report(std::string("host.") + name, line.constant, "ns", 7);
    report(std::string("host.") + name + ".per_MiB", line.slope, "ns/MiB", 7);
  }
}

inline void allocating_calls() {
  void* memory = nullptr;
  memory_pair(
      "cudaMalloc", "cudaFree", [&](std::size_t bytes) { CHECKED(cudaMalloc(&memory, bytes)); },
      [&] { CHECKED(cudaFree(memory)); });
  memory_pair(
      "cudaMallocHost", "cudaFreeHost", [&](std::size_t bytes) { CHECKED(cudaMallocHost(&memory, bytes)); },
      [&] { CHECKED(cudaFreeHost(memory)); });
  std::vector<char> pageable(std::size_t(256) << 20, 1);
  memory_pair(
      "cudaHostRegister", "cudaHostUnregister",
      [&](std::size_t bytes) { CHECKED(cudaHostRegister(pageable.data(), bytes, cudaHostRegisterDefault)); },
      [&] { CHECKED(cudaHostUnregister(pageable.data())); });
  cudaStream_t stream;
  CHECKED(cudaStreamCreate(&stream));
  const auto take = [&] { CHECKED(cudaMallocAsync(&memory, 1 << 20, stream)); };
  const auto give = [&] { CHECKED(cudaFreeAsync(memory, stream)); };
  const double begin = now_ns();
  take();
  report("host.cudaMallocAsync.first", now_ns() - begin, "ns", 1);
  report("host.cudaMallocAsync", call_ns(take, give, 100), "ns", 100);
  give();
  report("host.cudaFreeAsync", call_ns(give, take, 100), "ns", 100);
  take();
  // A synchronization empties the pool, whose release threshold is 0.
  const auto give_to_the_device = [&] {
    give();
    CHECKED(cudaStreamSynchronize(stream));
  };
  report("host.cudaMallocAsync.growth", call_ns(take, give_to_the_device, 100), "ns", 100);
  give_to_the_device();
  CHECKED(cudaStreamDestroy(stream));
}

/// Prints what calls cost the host.
inline void host_calls() {
  cudaStream_t stream, other;
  CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECKED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  enqueueing_calls(stream, other);
  creating_calls();
  allocating_calls();
  CHECKED(cudaStreamDestroy(stream));
  CHECKED(cudaStreamDestroy(other));
}

}  // namespace measure
