// host_functions.cu: section cb: where host functions run, what they hold up, and what they may call.
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "ask.h"

namespace agreement {
namespace {

constexpr double function_us = 20'000;

void sleep_us(double microseconds) {
  timespec time{0, static_cast<long>(microseconds * 1e3)};
  nanosleep(&time, nullptr);
}

void note_thread(void* where) { *static_cast<pthread_t*>(where) = pthread_self(); }
void note_thread_of_callback(cudaStream_t, cudaError_t, void* where) { note_thread(where); }
void sleep_long(void*) { sleep_us(function_us); }
void sleep_long_in_callback(cudaStream_t, cudaError_t, void*) { sleep_us(function_us); }
void note_time(void* where) { *static_cast<double*>(where) = now_us(); }

void ask_about_threads(cudaStream_t s1, cudaStream_t s2) {
  pthread_t function1{}, function2{}, callback1{}, callback2{};
  CHECK(cudaLaunchHostFunc(s1, note_thread, &function1));
  CHECK(cudaLaunchHostFunc(s2, note_thread, &function2));
  CHECK(cudaStreamAddCallback(s1, note_thread_of_callback, &callback1, 0));
  CHECK(cudaStreamAddCallback(s2, note_thread_of_callback, &callback2, 0));
  CHECK(cudaDeviceSynchronize());
  const auto is_same = [](pthread_t a, pthread_t b) { return pthread_equal(a, b) != 0; };
  answer_yes_no("hostfunc_thread_is_caller", is_same(function1, pthread_self()));
  answer_yes_no("hostfunc_thread_same_for_two_streams", is_same(function1, function2));
  answer_yes_no("addcallback_thread_is_caller", is_same(callback1, pthread_self()));
  answer_yes_no("addcallback_thread_same_for_two_streams", is_same(callback1, callback2));
  answer_yes_no("thread_same_hostfunc_addcallback", is_same(function1, callback1));
}

void ask_about_holding_up(cudaStream_t s1, cudaStream_t s2) {
  answer_ms("two_20ms_hostfuncs_two_streams_total", time_us([=] {
                                                      CHECK(cudaLaunchHostFunc(s1, sleep_long, nullptr));
                                                      CHECK(cudaLaunchHostFunc(s2, sleep_long, nullptr));
                                                      CHECK(cudaDeviceSynchronize());
                                                    }) / 1e3);
  const auto kernel_us = [=] {
    return time_us([=] {
      launch_nothing(s2);
      CHECK(cudaStreamSynchronize(s2));
    });
  };
  CHECK(cudaLaunchHostFunc(s1, sleep_long, nullptr));
  sleep_us(1000);
  answer_us("other_stream_kernel_during_hostfunc", kernel_us());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamAddCallback(s1, sleep_long_in_callback, nullptr, 0));
  sleep_us(1000);
  answer_us("launch_call_during_addcallback", time_us([=] { launch_nothing(s2); }));
  CHECK(cudaStreamSynchronize(s2));
  answer_us("other_stream_kernel_during_addcallback", kernel_us());
  CHECK(cudaDeviceSynchronize());
  double began = 0;
  std::vector<double> waits;
  answer_us("hostfunc_enqueue_to_run", [&] {
    for (int i = 0; i < 21; ++i) {
      const double begin = now_us();
      CHECK(cudaLaunchHostFunc(s1, note_time, &began));
      CHECK(cudaStreamSynchronize(s1));
      waits.push_back(began - begin);
    }
    std::sort(waits.begin(), waits.end());
    return waits[waits.size() / 2];
  }());
}

struct inner_calls {
  cudaStream_t stream;
  cudaEvent_t event;
  void *device, *pinned;
  std::vector<std::pair<const char*, cudaError_t>> result;
};

void call_inside(void* data) {
  inner_calls& calls = *static_cast<inner_calls*>(data);
  const auto note = [&](const char* name, cudaError_t returned) {
    calls.result.emplace_back(name, returned);
  };
  void* memory = nullptr;
  int device = 0;
  note("cudaGetLastError", cudaGetLastError());
  note("cudaEventQuery", cudaEventQuery(calls.event));
  note("cudaStreamQuery", cudaStreamQuery(calls.stream));
  note("cudaEventRecord", cudaEventRecord(calls.event, calls.stream));
  note("cudaMemcpyAsync",
       cudaMemcpyAsync(calls.device, calls.pinned, 4, cudaMemcpyHostToDevice, calls.stream));
  launch_nothing(calls.stream);
  note("launch", cudaPeekAtLastError());
  note("cudaMalloc", cudaMalloc(&memory, 64));
  note("cudaGetDevice", cudaGetDevice(&device));
}

void call_inside_callback(cudaStream_t, cudaError_t, void* data) { call_inside(data); }

void ask_about_calls_inside(cudaStream_t s1, cudaStream_t s2) {
  inner_calls inside{s2, nullptr, nullptr, nullptr, {}};
  CHECK(cudaEventCreate(&inside.event));
  CHECK(cudaEventRecord(inside.event, s2));
  CHECK(cudaMalloc(&inside.device, 64));
  CHECK(cudaMallocHost(&inside.pinned, 64));
  CHECK(cudaDeviceSynchronize());
  const auto report = [&](const std::string& form) {
    const cudaError_t waited = cudaStreamSynchronize(s1);
    for (const auto& [name, returned] : inside.result) answer_error(form + ".inside." + name, returned);
    inside.result.clear();
    answer_error(form + ".sync", waited);
    answer_error("after_" + form + ".lasterror", cudaGetLastError());
  };
  CHECK(cudaStreamAddCallback(s1, call_inside_callback, &inside, 0));
  report("addcallback");
  CHECK(cudaLaunchHostFunc(s1, call_inside, &inside));
  report("hostfunc");
}

}  // namespace

void ask_about_host_functions() {
  cudaStream_t const s1 = non_blocking_stream();
  cudaStream_t const s2 = non_blocking_stream();
  launch_nothing(s1);
  CHECK(cudaDeviceSynchronize());
  ask_about_threads(s1, s2);
  ask_about_holding_up(s1, s2);
  ask_about_calls_inside(s1, s2);
}

}  // namespace agreement
