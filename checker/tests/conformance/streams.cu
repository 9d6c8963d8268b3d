// streams.cu: what a stream promises, how the host waits for one, and priorities.
#include "conformance/gate.h"

using namespace conformance;

RULE(S1, "operations of one stream take effect in the order in which they were issued",
     programming_guide("Asynchronous Execution", "stream ordering")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const source = shared_word();
  volatile int* const copied = shared_word();
  volatile int* const on_device = device_word();
  gate closed;
  closed.hold(stream);
  store<<<1, 1, 0, stream>>>(source, 1);
  CHECK(cudaMemcpyAsync(untyped(on_device), untyped(source), sizeof(int), cudaMemcpyHostToDevice, stream));
  store<<<1, 1, 0, stream>>>(source, 2);
  CHECK(cudaMemcpyAsync(untyped(copied), untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost, stream));
  let_device_run();
  EXPECT_EQUAL(*source, 0);
  EXPECT_EQUAL(*copied, 0);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*source, 2);
  EXPECT_EQUAL(*copied, 1);
}

RULE(S1, "an operation waits until the kernel before it in its stream has ended",
     programming_guide("Asynchronous Execution", "stream ordering")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const second = shared_word();
  store_late<<<1, 1, 0, stream>>>(first, 1, late_cycles);
  copy_word<<<1, 1, 0, stream>>>(second, first);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*second, 1);
}

// Concurrency is nothing that a program may rely on; both backends have it where two kernels of one thread
// are all there is.
RULE(S2, "a kernel of one stream runs while a kernel of another stream does not end",
     programming_guide("Asynchronous Execution", "asynchronous operations")) {
  cudaStream_t const held = blocking_stream();
  cudaStream_t const free = blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  closed.hold(held);
  store<<<1, 1, 0, free>>>(word, 1);
  CHECK(cudaStreamSynchronize(free));
  EXPECT_EQUAL(*word, 1);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(held));
}

RULE(S2, "copies of one stream run while a kernel of another stream does not end",
     programming_guide("Asynchronous Execution", "asynchronous operations")) {
  cudaStream_t const held = blocking_stream();
  cudaStream_t const free = blocking_stream();
  volatile int* const source = shared_word(7);
  volatile int* const on_device = device_word();
  volatile int* const result = shared_word();
  gate closed;
  closed.hold(held);
  CHECK(cudaMemcpyAsync(untyped(on_device), untyped(source), sizeof(int), cudaMemcpyHostToDevice, free));
  CHECK(cudaMemcpyAsync(untyped(result), untyped(on_device), sizeof(int), cudaMemcpyDeviceToHost, free));
  CHECK(cudaStreamSynchronize(free));
  EXPECT_EQUAL(*result, 7);
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(held));
}

RULE(S4, "a stream is blocking or non-blocking, and other flags are refused",
     runtime_api("Stream Management", "cudaStreamCreateWithFlags")) {
  cudaStream_t stream = nullptr;
  unsigned int flags = 99;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
  CHECK(cudaStreamGetFlags(stream, &flags));
  EXPECT_EQUAL(flags, cudaStreamDefault);
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamGetFlags(stream, &flags));
  EXPECT_EQUAL(flags, cudaStreamNonBlocking);
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamGetFlags(stream, &flags));
  EXPECT_EQUAL(flags, cudaStreamDefault);
  EXPECT_EQUAL(cudaStreamCreateWithFlags(&stream, 2), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamCreateWithFlags(&stream, 0x80), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaStreamCreateWithPriority(&stream, 2, 0), cudaErrorInvalidValue);
}

RULE(S5, "cudaStreamSynchronize waits for everything issued to the stream so far",
     runtime_api("Stream Management", "cudaStreamSynchronize")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const first = shared_word();
  volatile int* const last = shared_word();
  store_late<<<1, 1, 0, stream>>>(first, 1, late_cycles);
  CHECK(cudaMemcpyAsync(untyped(last), untyped(first), sizeof(int), cudaMemcpyDefault, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQUAL(*first, 1);
  EXPECT_EQUAL(*last, 1);
}

RULE(S5, "cudaStreamSynchronize does not wait for other streams",
     runtime_api("Stream Management", "cudaStreamSynchronize")) {
  cudaStream_t const held = blocking_stream();
  cudaStream_t const idle = blocking_stream();
  gate closed;
  closed.hold(held);
  CHECK(cudaStreamSynchronize(idle));
  EXPECT_EQUAL(cudaStreamQuery(held), cudaErrorNotReady);
  closed.release();
  CHECK(cudaStreamSynchronize(held));
}

RULE(S6, "cudaStreamQuery says not ready until the work is complete, and then its results are there",
     runtime_api("Stream Management", "cudaStreamQuery")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const word = shared_word();
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaSuccess);
  gate closed;
  closed.hold(stream);
  store<<<1, 1, 0, stream>>>(word, 1);
  let_device_run();
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  closed.release();
  cudaError_t answer = cudaErrorNotReady;
  while (answer == cudaErrorNotReady) answer = cudaStreamQuery(stream);
  EXPECT_EQUAL(answer, cudaSuccess);
  EXPECT_EQUAL(*word, 1);
}

RULE(S7, "destroying a stream returns at once and its work still runs",
     runtime_api("Stream Management", "cudaStreamDestroy")) {
  cudaStream_t const stream = blocking_stream();
  volatile int* const word = shared_word();
  gate closed;
  let_device_run();  // makes its stream now: after the destruction an H200 would wait for the work before it
                     // makes one
  closed.hold(stream);
  store<<<1, 1, 0, stream>>>(word, 1);
  CHECK(cudaStreamDestroy(stream));
  let_device_run();
  EXPECT_EQUAL(*word, 0);
  closed.release();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 1);
}

RULE(S9, "the default streams cannot be destroyed", measured_on_h200) {
  EXPECT_EQUAL(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaStreamDestroy(cudaStreamLegacy), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
}

RULE(S11, "cudaDeviceSynchronize waits for work in any stream, non-blocking ones included",
     runtime_api("Device Management", "cudaDeviceSynchronize")) {
  cudaStream_t const streams[] = {blocking_stream(), non_blocking_stream(), cudaStreamPerThread,
                                  cudaStreamLegacy};
  for (cudaStream_t const stream : streams) {
    volatile int* const word = shared_word();
    store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(*word, 1);
  }
}

RULE(S11, "cudaDeviceSynchronize waits for all streams at once",
     runtime_api("Device Management", "cudaDeviceSynchronize")) {
  cudaStream_t const first = non_blocking_stream();
  cudaStream_t const second = non_blocking_stream();
  volatile int* const soon = shared_word();
  volatile int* const late = shared_word();
  store_late<<<1, 1, 0, first>>>(late, 1, 2 * late_cycles);
  store_late<<<1, 1, 0, second>>>(soon, 1, late_cycles);
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*soon, 1);
  EXPECT_EQUAL(*late, 1);
}

RULE(P1, "a lower number is more urgent, and priorities out of range are clamped",
     runtime_api("Stream Management", "cudaStreamCreateWithPriority"),
     runtime_api("Device Management", "cudaDeviceGetStreamPriorityRange")) {
  int least = -99;
  int greatest = 99;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQUAL(least, 0);
  EXPECT(greatest <= least);
  CHECK(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
  const int requested[] = {greatest, least, greatest - 1000, least + 1000};
  const int expected[] = {greatest, least, greatest, least};
  for (int i = 0; i < 4; ++i) {
    cudaStream_t stream = nullptr;
    int priority = 99;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, requested[i]));
    CHECK(cudaStreamGetPriority(stream, &priority));
    EXPECT_EQUAL(priority, expected[i]);
  }
}

RULE(P1, "streams without a priority have priority 0", runtime_api("Stream Management", "cudaStreamCreate"),
     runtime_api("Stream Management", "cudaStreamGetPriority")) {
  int priority = 99;
  CHECK(cudaStreamGetPriority(blocking_stream(), &priority));
  EXPECT_EQUAL(priority, 0);
  priority = 99;
  CHECK(cudaStreamGetPriority(nullptr, &priority));
  EXPECT_EQUAL(priority, 0);
}
