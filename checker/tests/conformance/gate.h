// gate.h: how the rules prove order without a clock: kernels that wait until the host lets them go on, and
// words that show who came first.
//
// While a gate is closed, all work that is ordered behind it must not have run, and all other work must be
// able to run. let_device_run() gives wrongly ordered work its chance to show itself.
//
//     gate closed;
//     closed.hold(stream);
//     store<<<1, 1, 0, stream>>>(word, 1);
//     let_device_run();
//     EXPECT_EQUAL(*word, 0);
//     closed.release();
#pragma once

#include "conformance/rule.h"

namespace conformance {

__global__ void wait_at_gate(const volatile int* gate) {
  while (*gate == 0) {
  }
}

__global__ void wait_then_store(const volatile int* gate, volatile int* where, int value) {
  while (*gate == 0) {
  }
  *where = value;
}

__global__ void store(volatile int* where, int value) { *where = value; }

__global__ void copy_word(volatile int* to, const volatile int* from) { *to = *from; }

/// Keeps the device busy for that many cycles first.
__global__ void store_late(volatile int* where, int value, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *where = value;
}

/// About 10 ms on current hardware: a call that does not wait for it is back long before.
constexpr long long late_cycles = 20'000'000;

/// A word that host and device both see.
inline volatile int* shared_word(int value = 0) {
  int* word = nullptr;
  CHECK(cudaMallocHost(&word, sizeof(int)));
  *word = value;
  return word;
}

inline volatile int* device_word() {
  int* word = nullptr;
  CHECK(cudaMalloc(&word, sizeof(int)));
  return word;
}

inline cudaStream_t blocking_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  return stream;
}

inline cudaStream_t non_blocking_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

inline cudaEvent_t new_event(unsigned int flags = cudaEventDefault) {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

/// Work issued to a stream does not end before the host calls release().
class gate {
 public:
  gate() : flag_(shared_word()) {}
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  void hold(cudaStream_t stream) { wait_at_gate<<<1, 1, 0, stream>>>(flag_); }
  /// The same; once released, the word gets its value.
  void hold_then_store(cudaStream_t stream, volatile int* where, int value) {
    wait_then_store<<<1, 1, 0, stream>>>(flag_, where, value);
  }
  void release() { *flag_ = 1; }

 private:
  volatile int* flag_;
};

/// Lets everything run that is free to run: waits for kernels and copies in a stream that is ordered with
/// nothing. The stream comes after those of the rule, so that it does not share a hardware queue with them.
inline void let_device_run() {
  constexpr std::size_t bytes = 64 << 10;
  static cudaStream_t const stream = non_blocking_stream();
  static void* host = nullptr;
  static void* device = nullptr;
  if (host == nullptr) {
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
  }
  for (int round = 0; round < 4; ++round) {
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    store<<<1, 1, 0, stream>>>(static_cast<int*>(device), round);
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
}

/// cudaMemcpy and friends take no pointers to volatile.
inline void* untyped(volatile int* word) { return const_cast<int*>(word); }

}  // namespace conformance

using conformance::copy_word;
using conformance::gate;
using conformance::store;
using conformance::store_late;
