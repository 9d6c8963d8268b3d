// events.cu: what an event captures, and who waits for it.
#include "conformance/gate.h"

using namespace conformance;

RULE(E2, "an event captures the work issued to the stream before it, and nothing after it",
     runtime_api("Event Management", "cudaEventRecord")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const word = shared_word();
  gate closed;
  store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
  CHECK(cudaEventRecord(event, stream));
  closed.hold(stream);
  CHECK(cudaEventSynchronize(event));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
}

RULE(E3, "recording an event again replaces what it captured",
     runtime_api("Event Management", "cudaEventRecord")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event();
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));
  gate closed;
  closed.hold(stream);
  CHECK(cudaEventRecord(event, stream));
  let_device_run();
  EXPECT_EQUAL(cudaEventQuery(event), cudaErrorNotReady);
  closed.release();
  CHECK(cudaEventSynchronize(event));
  EXPECT_EQUAL(cudaEventQuery(event), cudaSuccess);
}

RULE(E3, "a wait keeps what was captured when it was issued, although the event is recorded again elsewhere",
     runtime_api("Event Management", "cudaEventRecord"),
     runtime_api("Stream Management", "cudaStreamWaitEvent")) {
  cudaStream_t const recorded = blocking_stream();
  cudaStream_t const waiting = blocking_stream();
  cudaStream_t const idle = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(recorded, first, 1);
  CHECK(cudaEventRecord(event, recorded));
  CHECK(cudaStreamWaitEvent(waiting, event, 0));
  CHECK(cudaEventRecord(event, idle));
  copy_word<<<1, 1, 0, waiting>>>(second, first);
  CHECK(cudaEventSynchronize(event));
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(waiting), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(waiting));
  EXPECT_EQUAL(*second, 1);
}

RULE(E3, "a wait does not wait for a later record", runtime_api("Event Management", "cudaEventRecord")) {
  cudaStream_t const recorded = blocking_stream();
  cudaStream_t const waiting = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const word = shared_word();
  gate closed;
  CHECK(cudaEventRecord(event, recorded));
  CHECK(cudaStreamWaitEvent(waiting, event, 0));
  closed.hold(recorded);
  CHECK(cudaEventRecord(event, recorded));
  store<<<1, 1, 0, waiting>>>(word, 1);
  CHECK(cudaStreamSynchronize(waiting));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaEventQuery(event), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(recorded));
}

RULE(E4, "an event that was never recorded is complete, and waiting for it does nothing",
     runtime_api("Event Management", "cudaEventRecord"), runtime_api("Event Management", "cudaEventQuery")) {
  cudaStream_t const held = blocking_stream();
  cudaStream_t const waiting = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(held);
  EXPECT_EQUAL(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQUAL(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQUAL(cudaStreamWaitEvent(waiting, event, 0), cudaSuccess);
  store<<<1, 1, 0, waiting>>>(word, 1);
  CHECK(cudaStreamSynchronize(waiting));
  EXPECT_EQUAL(*word, 1);
  closed.release();
  CHECK(cudaStreamSynchronize(held));
}

RULE(E4, "a wait without a record, or for one that is complete, leaves nothing for a query to wait for",
     measured_on_h200) {
  cudaEvent_t const never = new_event();
  cudaEvent_t const complete = new_event();
  cudaStream_t const recorded = non_blocking_stream();
  CHECK(cudaEventRecord(complete, recorded));
  CHECK(cudaStreamSynchronize(recorded));
  for (cudaEvent_t const event : {never, complete}) {
    for (cudaStream_t const stream : {blocking_stream(), non_blocking_stream(), cudaStreamLegacy}) {
      CHECK(cudaStreamWaitEvent(stream, event, 0));
      EXPECT_EQUAL(cudaStreamQuery(stream), cudaSuccess);
    }
  }
}

RULE(E4, "such a wait in a blocking stream does not wait for the legacy default stream", measured_on_h200) {
  cudaEvent_t const never = new_event();
  cudaEvent_t const complete = new_event();
  cudaStream_t const stream = blocking_stream();
  CHECK(cudaEventRecord(complete, stream));
  CHECK(cudaStreamSynchronize(stream));
  gate closed;
  closed.hold(cudaStreamLegacy);
  for (cudaEvent_t const event : {never, complete}) {
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    EXPECT_EQUAL(cudaStreamQuery(stream), cudaSuccess);
  }
  closed.release();
  CHECK(cudaDeviceSynchronize());
}

RULE(E5, "cudaEventQuery says not ready until the captured work is complete, and then its results are there",
     runtime_api("Event Management", "cudaEventQuery")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event(cudaEventDisableTiming);
  volatile int* const word = shared_word();
  gate closed;
  closed.hold_then_store(stream, word, 1);
  CHECK(cudaEventRecord(event, stream));
  let_device_run();
  EXPECT_EQUAL(cudaEventQuery(event), cudaErrorNotReady);
  closed.release();
  cudaError_t answer = cudaErrorNotReady;
  while (answer == cudaErrorNotReady) answer = cudaEventQuery(event);
  EXPECT_EQUAL(answer, cudaSuccess);
  EXPECT_EQUAL(*word, 1);
}

RULE(E6, "cudaEventSynchronize waits for the captured work only, whatever the kind of event",
     runtime_api("Event Management", "cudaEventSynchronize"),
     runtime_api("Event Management", "cudaEventCreateWithFlags")) {
  const unsigned int kinds[] = {cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming};
  for (const unsigned int kind : kinds) {
    cudaStream_t const stream = non_blocking_stream();
    cudaEvent_t const event = new_event(kind);
    volatile int* const before = shared_word();
    volatile int* const after = shared_word();
    gate closed;
    store_late<<<1, 1, 0, stream>>>(before, 1, late_cycles);
    CHECK(cudaEventRecord(event, stream));
    closed.hold_then_store(stream, after, 1);
    CHECK(cudaEventSynchronize(event));
    EXPECT_EQUAL(*before, 1);
    EXPECT_EQUAL(*after, 0);
    closed.release();
    CHECK(cudaStreamSynchronize(stream));
  }
}

RULE(E7, "destroying an event returns at once, and waits for it that were issued stay in force",
     runtime_api("Event Management", "cudaEventDestroy")) {
  cudaStream_t const recorded = blocking_stream();
  cudaStream_t const waiting = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(recorded, first, 1);
  CHECK(cudaEventRecord(event, recorded));
  CHECK(cudaStreamWaitEvent(waiting, event, 0));
  CHECK(cudaEventDestroy(event));
  copy_word<<<1, 1, 0, waiting>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(*first, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(waiting));
  EXPECT_EQUAL(*second, 1);
}

RULE(E8,
     "the time between events is in milliseconds, negative in the wrong order, and zero from an event to "
     "itself",
     runtime_api("Event Management", "cudaEventElapsedTime"), measured_on_h200) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const begin = new_event();
  cudaEvent_t const end = new_event();
  int kilohertz = 0;
  CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  CHECK(cudaEventRecord(begin, stream));
  store_late<<<1, 1, 0, stream>>>(shared_word(), 1, late_cycles);
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamSynchronize(stream));
  float forward = 0;
  float backward = 0;
  float none = 99;
  CHECK(cudaEventElapsedTime(&forward, begin, end));
  CHECK(cudaEventElapsedTime(&backward, end, begin));
  CHECK(cudaEventElapsedTime(&none, begin, begin));
  // The clock may be slower than its rate says, by a few parts in a hundred faster, and by far not a thousand
  // times.
  const double shortest = static_cast<double>(late_cycles) / kilohertz;
  EXPECT(forward > 0.9 * shortest);
  EXPECT(forward < 100 * shortest);
  EXPECT(backward == -forward);
  EXPECT(none == 0);
}

RULE(E8, "there is no time between events that were not recorded, or have no timing",
     runtime_api("Event Management", "cudaEventElapsedTime")) {
  float milliseconds = 0;
  cudaEvent_t const recorded = new_event();
  cudaEvent_t const never = new_event();
  cudaEvent_t const untimed = new_event(cudaEventDisableTiming);
  CHECK(cudaEventRecord(recorded, nullptr));
  CHECK(cudaEventRecord(untimed, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, never, never), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, recorded, never), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, recorded, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaEventElapsedTime(nullptr, recorded, recorded), cudaErrorInvalidValue);
}

RULE(E8, "the time between events is not ready before both are complete",
     runtime_api("Event Management", "cudaEventElapsedTime")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const begin = new_event();
  cudaEvent_t const end = new_event();
  float milliseconds = 0;
  gate closed;
  CHECK(cudaEventRecord(begin, stream));
  closed.hold(stream);
  CHECK(cudaEventRecord(end, stream));
  let_device_run();
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  closed.release();
  CHECK(cudaEventSynchronize(end));
  EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
}

RULE(E12, "work issued to a stream after a wait waits for the captured work, and the host does not",
     runtime_api("Stream Management", "cudaStreamWaitEvent")) {
  cudaStream_t const recorded = non_blocking_stream();
  cudaStream_t const waiting = non_blocking_stream();
  cudaEvent_t const event = new_event(cudaEventDisableTiming);
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(recorded, first, 1);
  CHECK(cudaEventRecord(event, recorded));
  CHECK(cudaStreamWaitEvent(waiting, event, 0));
  copy_word<<<1, 1, 0, waiting>>>(second, first);
  let_device_run();
  EXPECT_EQUAL(*first, 0);
  EXPECT_EQUAL(cudaStreamQuery(waiting), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(waiting));
  EXPECT_EQUAL(*second, 1);
}

RULE(E12, "work issued to a stream before a wait does not wait",
     runtime_api("Stream Management", "cudaStreamWaitEvent")) {
  cudaStream_t const recorded = non_blocking_stream();
  cudaStream_t const waiting = non_blocking_stream();
  cudaEvent_t const event = new_event();
  cudaEvent_t const before = new_event();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(recorded);
  CHECK(cudaEventRecord(event, recorded));
  store<<<1, 1, 0, waiting>>>(word, 1);
  CHECK(cudaEventRecord(before, waiting));
  CHECK(cudaStreamWaitEvent(waiting, event, 0));
  CHECK(cudaEventSynchronize(before));
  EXPECT_EQUAL(*word, 1);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(waiting), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(waiting));
}

RULE(E13, "a wait for an event of the same stream changes nothing",
     programming_guide("Asynchronous Execution", "stream ordering"),
     runtime_api("Stream Management", "cudaStreamWaitEvent")) {
  cudaStream_t const stream = blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  gate closed;
  closed.hold_then_store(stream, first, 1);
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  copy_word<<<1, 1, 0, stream>>>(second, first);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*second, 1);
}
