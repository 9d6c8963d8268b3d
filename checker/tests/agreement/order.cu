// order.cu: section sem: does work of one stream wait for work of another?
#include <functional>

#include "ask.h"

namespace agreement {
namespace {

constexpr double first_us = 5000;

__global__ void store_late(volatile int* word, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *word = 1;
}

__global__ void look(const volatile int* word, volatile int* result) { *result = *word; }

/// A kernel of 5 ms in one stream, then something, then a kernel in another stream: does that see what the
/// first wrote?
void ask_whether_ordered(
    const std::string& question, cudaStream_t first, cudaStream_t second,
    const std::function<void()>& between = [] {}) {
  static int* words = nullptr;
  if (words == nullptr) CHECK(cudaMalloc(&words, 2 * sizeof(int)));
  CHECK(cudaMemset(words, 0, 2 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  store_late<<<1, 1, 0, first>>>(words, cycles_of(first_us));
  between();
  look<<<1, 1, 0, second>>>(words, words + 1);
  CHECK(cudaDeviceSynchronize());
  int result = 0;
  CHECK(cudaMemcpy(&result, words + 1, sizeof result, cudaMemcpyDeviceToHost));
  answer_yes_no(question + ".second_starts_after_first_ends", result == 1);
}

/// Loads the kernels; until then a launch may wait for the device.
void warm_up(cudaStream_t stream) {
  int* word = nullptr;
  CHECK(cudaMalloc(&word, 2 * sizeof(int)));
  store_late<<<1, 1, 0, stream>>>(word, 0);
  look<<<1, 1, 0, stream>>>(word, word + 1);
  spin(1, stream);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(word));
}

void ask_about_default_streams(cudaStream_t b1, cudaStream_t b2, cudaStream_t free_stream) {
  cudaStream_t const legacy = cudaStreamLegacy;
  ask_whether_ordered("b1_b2", b1, b2);
  ask_whether_ordered("b1_legacy", b1, legacy);
  ask_whether_ordered("legacy_b1", legacy, b1);
  ask_whether_ordered("nb_legacy", free_stream, legacy);
  ask_whether_ordered("legacy_nb", legacy, free_stream);
  ask_whether_ordered("b1_perthread", b1, cudaStreamPerThread);
  ask_whether_ordered("perthread_legacy", cudaStreamPerThread, legacy);
}

void ask_about_what_lies_between(cudaStream_t b1, cudaStream_t b2, cudaStream_t free_stream) {
  cudaStream_t const legacy = cudaStreamLegacy;
  cudaEvent_t timed, untimed, other;
  CHECK(cudaEventCreate(&timed));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&other));
  CHECK(cudaEventRecord(other, free_stream));
  void *memory = nullptr, *freed = nullptr;
  CHECK(cudaMalloc(&memory, 4096));
  CHECK(cudaMalloc(&freed, 4096));
  CHECK(cudaDeviceSynchronize());
  ask_whether_ordered("b1_eventrecord_legacy_b2", b1, b2, [&] { CHECK(cudaEventRecord(timed, legacy)); });
  ask_whether_ordered("b1_eventrecord_notiming_legacy_b2", b1, b2,
                      [&] { CHECK(cudaEventRecord(untimed, legacy)); });
  ask_whether_ordered("b1_waitevent_on_legacy_b2", b1, b2,
                      [&] { CHECK(cudaStreamWaitEvent(legacy, other, 0)); });
  ask_whether_ordered("b1_hostfunc_legacy_b2", b1, b2, [&] {
    CHECK(cudaLaunchHostFunc(
        legacy, [](void*) {}, nullptr));
  });
  ask_whether_ordered("b1_memsetasync_legacy_b2", b1, b2,
                      [&] { CHECK(cudaMemsetAsync(memory, 0, 4096, legacy)); });
  ask_whether_ordered("b1_streamquery_legacy_b2", b1, b2, [&] { cudaStreamQuery(legacy); });
  ask_whether_ordered("b1_cudaMalloc_b2", b1, b2, [&] {
    void* another = nullptr;
    CHECK(cudaMalloc(&another, 4096));
  });
  ask_whether_ordered("b1_cudaFree_b2", b1, b2, [&] { CHECK(cudaFree(freed)); });
  ask_whether_ordered("b1_eventrecord_timing_b1_b2", b1, b2, [&] { CHECK(cudaEventRecord(timed, b1)); });
  ask_whether_ordered("waitevent_captures_at_call_rerecord_after", b1, b2, [&] {
    CHECK(cudaEventRecord(timed, b1));
    CHECK(cudaStreamWaitEvent(b2, timed, 0));
    CHECK(cudaEventRecord(timed, free_stream));
  });
}

void ask_about_waiting_hosts(cudaStream_t b1, cudaStream_t free_stream) {
  const auto ask = [](const std::string& question, cudaStream_t busy, const std::function<void()>& wait) {
    CHECK(cudaDeviceSynchronize());
    spin(first_us, busy);
    const double waited = time_us(wait);
    answer_yes_no(question + ".waits", waited > first_us / 2);
    answer_yes_no(question + ".waits_for_later_work", waited > 1.5 * first_us);
    answer_us(question + ".call", waited);
    CHECK(cudaDeviceSynchronize());
  };
  ask("sync_legacy_while_blocking_stream_busy", b1, [] { CHECK(cudaStreamSynchronize(cudaStreamLegacy)); });
  ask("sync_legacy_while_nonblocking_stream_busy", free_stream,
      [] { CHECK(cudaStreamSynchronize(cudaStreamLegacy)); });
  ask("sync_perthread_while_blocking_stream_busy", b1,
      [] { CHECK(cudaStreamSynchronize(cudaStreamPerThread)); });
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  ask("eventsync_before_later_work", b1, [&] {
    CHECK(cudaEventRecord(event, b1));
    spin(first_us, b1);
    CHECK(cudaEventSynchronize(event));
  });
}

}  // namespace

void ask_about_order() {
  cudaStream_t const b1 = blocking_stream();
  cudaStream_t const b2 = blocking_stream();
  cudaStream_t const free_stream = non_blocking_stream();
  warm_up(b1);
  ask_about_default_streams(b1, b2, free_stream);
  ask_about_what_lies_between(b1, b2, free_stream);
  ask_about_waiting_hosts(b1, free_stream);
}

}  // namespace agreement
