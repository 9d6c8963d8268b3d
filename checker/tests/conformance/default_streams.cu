// default_streams.cu: the legacy default stream and the per-thread default stream. Compiled in the default
// mode, where stream 0 is the legacy one.
#include "conformance/gate.h"

using namespace conformance;

RULE(D3, "work in the legacy default stream waits for every blocking stream",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const idle = blocking_stream();
  cudaStream_t const held = blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(held, first, 1);
  store<<<1, 1, 0, idle>>>(second, 9);
  copy_word<<<1, 1>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*second, 1);
}

RULE(D3, "blocking streams wait for work in the legacy default stream",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const one = blocking_stream();
  cudaStream_t const other = blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const seen_by_one = shared_word();
  volatile int* const seen_by_other = shared_word();
  gate closed;
  closed.hold_then_store(nullptr, first, 1);
  copy_word<<<1, 1, 0, one>>>(seen_by_one, first);
  copy_word<<<1, 1, 0, other>>>(seen_by_other, first);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(one), cudaErrorNotReady);
  EXPECT_EQUAL(cudaStreamQuery(other), cudaErrorNotReady);
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*seen_by_one, 1);
  EXPECT_EQUAL(*seen_by_other, 1);
}

RULE(D3, "work in the legacy default stream separates blocking streams that come before and after it",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const before = blocking_stream();
  cudaStream_t const after = blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const between = shared_word();
  volatile int* const last = shared_word();
  gate closed;
  closed.hold_then_store(before, first, 1);
  copy_word<<<1, 1>>>(between, first);
  copy_word<<<1, 1, 0, after>>>(last, between);
  let_device_run();
  closed.release();
  CHECK(cudaStreamSynchronize(after));
  EXPECT_EQUAL(*between, 1);
  EXPECT_EQUAL(*last, 1);
}

RULE(D3, "in the legacy default stream a wait separates blocking streams if its event has a record",
     measured_on_h200) {
  cudaStream_t const before = blocking_stream();
  cudaStream_t const after = blocking_stream();
  cudaEvent_t const never = new_event();
  cudaEvent_t const complete = new_event();
  CHECK(cudaEventRecord(complete, before));
  CHECK(cudaStreamSynchronize(before));
  volatile int* const behind_never = shared_word();
  volatile int* const behind_complete = shared_word();
  gate closed;
  closed.hold(before);
  CHECK(cudaStreamWaitEvent(cudaStreamLegacy, never, 0));
  store<<<1, 1, 0, after>>>(behind_never, 1);
  CHECK(cudaStreamSynchronize(after));
  EXPECT_EQUAL(*behind_never, 1);
  CHECK(cudaStreamWaitEvent(cudaStreamLegacy, complete, 0));
  store<<<1, 1, 0, after>>>(behind_complete, 1);
  let_device_run();
  EXPECT_EQUAL(*behind_complete, 0);
  EXPECT_EQUAL(cudaStreamQuery(after), cudaErrorNotReady);
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*behind_complete, 1);
}

// From the device: small copies from pinned memory read their source at the call when nothing is in their own
// stream, measured on an H200 with up to 1 KiB.
RULE(D3, "a copy in the legacy default stream waits for blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const held = blocking_stream();
  volatile int* const source = device_word();
  volatile int* const result = shared_word();
  gate closed;
  closed.hold_then_store(held, source, 1);
  CHECK(cudaMemcpyAsync(untyped(result), untyped(source), sizeof(int), cudaMemcpyDeviceToHost, nullptr));
  let_device_run();
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*result, 1);
}

RULE(D4, "a non-blocking stream does not wait for the legacy default stream",
     runtime_api("Stream synchronization behavior", "Legacy default stream"),
     runtime_api("Stream Management", "cudaStreamCreateWithFlags")) {
  cudaStream_t const free = non_blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(nullptr);
  store<<<1, 1, 0, free>>>(word, 1);
  CHECK(cudaStreamSynchronize(free));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaErrorNotReady);
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(D4, "the legacy default stream does not wait for a non-blocking stream",
     runtime_api("Stream synchronization behavior", "Legacy default stream"),
     runtime_api("Stream Management", "cudaStreamCreateWithFlags")) {
  cudaStream_t const held = non_blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(held);
  store<<<1, 1>>>(word, 1);
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(D5, "an event record in the legacy default stream separates blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const before = blocking_stream();
  cudaStream_t const after = blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const last = shared_word();
  gate closed;
  closed.hold_then_store(before, first, 1);
  CHECK(cudaEventRecord(new_event(), nullptr));
  copy_word<<<1, 1, 0, after>>>(last, first);
  let_device_run();
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*last, 1);
}

RULE(D5, "an event in the legacy default stream captures the work of blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream"),
     runtime_api("Event Management", "cudaEventRecord")) {
  cudaStream_t const held = blocking_stream();
  cudaEvent_t const event = new_event();
  gate closed;
  closed.hold(held);
  CHECK(cudaEventRecord(event, nullptr));
  let_device_run();
  EXPECT_EQUAL(cudaEventQuery(event), cudaErrorNotReady);
  closed.release();
  CHECK(cudaEventSynchronize(event));
  EXPECT_EQUAL(cudaStreamQuery(held), cudaSuccess);
}

RULE(D5, "an event wait in the legacy default stream separates blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const before = blocking_stream();
  cudaStream_t const after = blocking_stream();
  cudaStream_t const elsewhere = non_blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const first = shared_word();
  volatile int* const last = shared_word();
  gate closed;
  gate elsewhere_closed;
  closed.hold_then_store(before, first, 1);
  elsewhere_closed.hold(elsewhere);
  CHECK(cudaEventRecord(event, elsewhere));
  CHECK(cudaStreamWaitEvent(nullptr, event, 0));
  copy_word<<<1, 1, 0, after>>>(last, first);
  elsewhere_closed.release();
  CHECK(cudaStreamSynchronize(elsewhere));
  let_device_run();
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*last, 1);
}

RULE(D5, "cudaMemsetAsync in the legacy default stream separates blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const before = blocking_stream();
  cudaStream_t const after = blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const last = shared_word();
  gate closed;
  closed.hold_then_store(before, first, 1);
  CHECK(cudaMemsetAsync(untyped(device_word()), 0, sizeof(int), nullptr));
  copy_word<<<1, 1, 0, after>>>(last, first);
  let_device_run();
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*last, 1);
}

RULE(D5, "asking the legacy default stream whether it is done separates nothing", measured_on_h200) {
  cudaStream_t const held = blocking_stream();
  cudaStream_t const free = blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(held);
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaErrorNotReady);
  store<<<1, 1, 0, free>>>(word, 1);
  CHECK(cudaStreamSynchronize(free));
  EXPECT_EQUAL(*word, 1);
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(D6, "synchronizing the legacy default stream waits for blocking streams, with nothing in it",
     runtime_api("Stream synchronization behavior", "Legacy default stream"), measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const word = shared_word();
  store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(*word, 1);
}

RULE(D6, "the legacy default stream is not ready while a blocking stream is busy",
     runtime_api("Stream synchronization behavior", "Legacy default stream"), measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  gate closed;
  closed.hold(stream);
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQUAL(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaSuccess);
}

RULE(D6, "synchronizing the legacy default stream does not wait for non-blocking streams",
     runtime_api("Stream synchronization behavior", "Legacy default stream"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  gate closed;
  closed.hold(stream);
  CHECK(cudaStreamSynchronize(nullptr));
  EXPECT_EQUAL(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(D7, "the per-thread default stream does not wait for created streams, nor they for it",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const in_per_thread = shared_word();
  volatile int* const in_stream = shared_word();
  gate first_closed;
  first_closed.hold(stream);
  store<<<1, 1, 0, cudaStreamPerThread>>>(in_per_thread, 1);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT_EQUAL(*in_per_thread, 1);
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  first_closed.release();
  CHECK(cudaStreamSynchronize(stream));

  gate second_closed;
  second_closed.hold(cudaStreamPerThread);
  store<<<1, 1, 0, stream>>>(in_stream, 1);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*in_stream, 1);
  EXPECT_EQUAL(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  second_closed.release();
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

RULE(D7, "the per-thread default stream waits for the legacy one",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(cudaStreamLegacy, first, 1);
  copy_word<<<1, 1, 0, cudaStreamPerThread>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT_EQUAL(*second, 1);
}

RULE(D7, "the legacy default stream waits for the per-thread one",
     runtime_api("Stream synchronization behavior", "Per-thread default stream")) {
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(cudaStreamPerThread, first, 1);
  copy_word<<<1, 1, 0, cudaStreamLegacy>>>(second, first);
  let_device_run();
  closed.release();
  CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  EXPECT_EQUAL(*second, 1);
}

RULE(D9, "a synchronous copy waits for blocking streams",
     runtime_api("API synchronization behavior", "Memcpy, synchronous"),
     runtime_api("Stream synchronization behavior", "Legacy default stream")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const on_device = device_word();
  int result = 0;
  store_late<<<1, 1, 0, stream>>>(on_device, 1, late_cycles);
  CHECK(cudaMemcpy(&result, untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result, 1);
}
