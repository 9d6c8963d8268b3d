// per_thread_default_stream.cu: what changes in a file that is compiled with --default-stream per-thread.
#include <thread>

#include "conformance/gate.h"

using namespace conformance;

namespace {

unsigned long long id_of(cudaStream_t stream) {
  unsigned long long id = 0;
  CHECK(cudaStreamGetId(stream, &id));
  return id;
}

}  // namespace

RULE(D1, "stream 0 is the stream of the thread, and both default streams keep their names",
     runtime_api("Stream synchronization behavior", "Default stream")) {
  EXPECT_EQUAL(id_of(nullptr), id_of(cudaStreamPerThread));
  EXPECT(id_of(nullptr) != id_of(cudaStreamLegacy));
}

RULE(D1, "each host thread has a default stream of its own, and all share the legacy one",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  unsigned long long other = 0;
  unsigned long long legacy = 0;
  std::thread([&] {
    other = id_of(nullptr);
    legacy = id_of(cudaStreamLegacy);
  }).join();
  EXPECT(other != id_of(nullptr));
  EXPECT_EQUAL(legacy, id_of(cudaStreamLegacy));
}

RULE(D7, "a launch without a stream does not wait for blocking streams",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  cudaStream_t const held = blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(held);
  store<<<1, 1>>>(word, 1);
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
}

RULE(D7, "the stream of a thread waits for the legacy default stream, as blocking streams do",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(cudaStreamLegacy, first, 1);
  copy_word<<<1, 1>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(*second, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(*second, 1);
}

RULE(D9, "synchronous copies and memsets use the stream of the thread",
     runtime_api("API synchronization behavior", "Memcpy, synchronous"),
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  cudaStream_t const held = blocking_stream();
  volatile int* const device = device_word();
  int value = 5;
  int result = 0;
  gate closed;
  closed.hold(held);
  CHECK(cudaMemset(untyped(device), 0, sizeof value));
  CHECK(cudaMemcpy(untyped(device), &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&result, untyped(device), sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 5);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
}

RULE(D2, "records, waits, copies and host functions without a stream use that of the thread",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  cudaStream_t const held = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const device = device_word();
  volatile int* const host = shared_word(3);
  static volatile int called = 0;
  gate closed;
  closed.hold(held);
  CHECK(cudaMemcpyAsync(untyped(device), untyped(host), sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemsetAsync(untyped(device), 0, sizeof(int)));
  CHECK(cudaMemcpyAsync(untyped(host), untyped(device), sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaLaunchHostFunc(
      nullptr, [](void*) { called = 1; }, nullptr));
  CHECK(cudaEventRecord(event));
  CHECK(cudaStreamWaitEvent(nullptr, event));
  CHECK(cudaEventSynchronize(event));
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQUAL(*host, 0);
  EXPECT_EQUAL(called, 1);
  closed.release();
}

RULE(D2, "work of two host threads without streams is not ordered",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(nullptr);
  std::thread([&] {
    store<<<1, 1>>>(word, 1);
    CHECK(cudaStreamSynchronize(nullptr));
  }).join();
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaErrorNotReady);
  closed.release();
}
